// Creates the client of the library for one server, for the master that sentinels name, and for a cluster.
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { RedisClientOptions, RedisClientType } from '@redis/client'
import { createClient, createCluster, RESP_TYPES } from '@redis/client'
import type { StoreAddress } from '../../../config/store-url.ts'

export type RedisAddress = Exclude<StoreAddress, { kind: 'sqlite' }>
type SentinelAddress = Extract<StoreAddress, { kind: 'sentinel' }>
type HostPort = SentinelAddress['sentinels'][number]

const CONNECT_TIMEOUT_MS = 2000
/** A connection without any traffic for this long, including pings, is dead. */
const SOCKET_TIMEOUT_MS = 5000
const PING_INTERVAL_MS = 2000
const MAX_QUEUED_COMMANDS = 10_000
/** How soon the client asks the cluster which node took over the slots of a failed node. */
const TOPOLOGY_REFRESH_MS = 500

/** Time for the replies of all sentinels. */
const SENTINEL_TIMEOUT_MS = 500
/** Far more than the reply of a sentinel has. */
const MAX_SENTINEL_REPLY = 64 * 1024
/** How soon a connection to the former master ends after a failover. */
const MASTER_CHECK_INTERVAL_MS = 1000

const socket = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SOCKET_TIMEOUT_MS,
  // Jitter prevents many nodes from reconnecting at the same moment.
  reconnectStrategy: (retries: number) => Math.min(50 * 2 ** retries, 1000) * (0.75 + Math.random() / 2),
}

const common = {
  disableOfflineQueue: true,
  commandsQueueMaxLength: MAX_QUEUED_COMMANDS,
  pingInterval: PING_INTERVAL_MS,
  maintNotifications: 'disabled',
} satisfies RedisClientOptions

/** The used commands that the three kinds of clients have in common. */
type RedisCommands = Pick<
  RedisClientType<Empty, Empty, Empty, 3, Empty>,
  'get' | 'set' | 'unlink' | 'pExpire' | 'hGet' | 'hSet' | 'hDel' | 'hmGet' | 'hIncrBy' | 'hScan' | 'sMembers' | 'eval'
>

type Empty = Record<never, never>

const asBuffers = { [RESP_TYPES.BLOB_STRING]: Buffer }

export interface RedisClient {
  readonly commands: RedisCommands
  /** Commands that return bytes. `getRange` resolves to an empty buffer or null if the key does not exist. */
  readonly buffers: BufferCommands
  readonly isReady: boolean
  /** If it rejects, the client does not try again by itself, except for a single server. */
  connect(): Promise<unknown>
  destroy(): void
}

export function createRedisClient(address: RedisAddress, onError: (error: unknown) => void): RedisClient {
  const createSingle = (options: RedisClientOptions) => {
    const client = createClient({ ...common, ...options }).on('error', onError)
    return adaptClient(client, client, client.withTypeMapping(asBuffers))
  }
  if (address.kind === 'single') return createSingle({ url: address.url, socket })
  const { username, password, tls } = address
  const login = { ...(username && { username }), ...(password && { password }) }
  const nodeSocket = tls ? { ...socket, tls: true as const } : socket
  if (address.kind === 'cluster') {
    const cluster = createCluster({
      rootNodes: address.nodes.map(({ host, port }) => ({ socket: { host, port } })),
      defaults: { ...common, ...login, socket: nodeSocket },
      // Connect to a node on first use: one unavailable node must not block the others.
      minimizeConnections: true,
      topologyRefreshOnReconnectionAttemptStrategy: TOPOLOGY_REFRESH_MS,
    })
      .on('error', onError)
      .on('node-error', onError)
    return adaptClient(cluster, cluster, cluster.withTypeMapping(asBuffers))
  }
  const { database } = address
  // After a failure, the next client asks the sentinels again.
  return createMasterClient(address, (node) =>
    createSingle({ ...login, database, socket: { ...nodeSocket, ...node, reconnectStrategy: false } }),
  )
}

/**
 * The client of the library for sentinels takes a quarter of a second of CPU time for each attempt to connect, and asks one
 * sentinel after the other, so one that hangs would delay all attempts.
 */
function createMasterClient(sentinels: SentinelAddress, createSingle: (node: HostPort) => RedisClient): RedisClient {
  let client: RedisClient | undefined
  let timer: NodeJS.Timeout | undefined
  let isDestroyed = false
  return {
    get commands() {
      return client!.commands
    },
    get buffers() {
      return client!.buffers
    },
    /** Also if the connection was closed: calls then fail, and the caller replaces this client. */
    get isReady() {
      return timer !== undefined
    },
    async connect() {
      const master = await findMaster(sentinels)
      if (isDestroyed) return
      client = createSingle(master)
      await client.connect()
      // The former master may not know of a failover, for example if it hung until now.
      const check = async () => {
        const { host, port } = await findMaster(sentinels).catch(() => master)
        if (host !== master.host || port !== master.port) client?.destroy()
      }
      await check()
      if (!isDestroyed) timer = setInterval(check, MASTER_CHECK_INTERVAL_MS).unref()
    },
    destroy() {
      isDestroyed = true
      clearInterval(timer)
      timer = undefined
      client?.destroy()
    },
  }
}

/** Asks all sentinels. The latest failover counts, because one of them may not know it yet. */
async function findMaster({ sentinels, master, tls }: SentinelAddress): Promise<HostPort> {
  const replies = await Promise.all(sentinels.map((node) => askSentinel(node, tls, `SENTINEL MASTER ${master}`)))
  const found = replies.flatMap((fields) => {
    const read = (name: string) => fields[fields.indexOf(name) + 1] ?? ''
    return fields.includes('ip')
      ? [{ host: read('ip'), port: Number(read('port')), epoch: Number(read('config-epoch')) }]
      : []
  })
  const latest = found.sort((a, b) => b.epoch - a.epoch)[0]
  if (!latest) throw new Error('no sentinel knows the address of the master')
  return { host: latest.host, port: latest.port }
}

/** Resolves to the texts of the reply, a list; to none if the sentinel does not reply in time. */
function askSentinel(node: HostPort, tls: boolean, command: string): Promise<string[]> {
  return new Promise((resolve) => {
    const socket = tls ? connectTls(node) : connectTcp(node)
    const finish = (texts: string[]) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(texts)
    }
    const timer = setTimeout(finish, SENTINEL_TIMEOUT_MS, [])
    let reply = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      reply += text
      // *2 $2 ip $9 127.0.0.1: each text follows its length.
      const lines = reply.split('\r\n')
      const isComplete = lines.length > 2 * Number(/^\*(\d+)/.exec(reply)?.[1] ?? 0) + 1
      if (isComplete || reply.length > MAX_SENTINEL_REPLY)
        finish(lines.filter((_, index) => index > 0 && index % 2 === 0))
    })
    socket.on('error', () => finish([])).on('close', () => finish([]))
    socket.write(`${command}\r\n`)
  })
}

interface LibraryClient {
  readonly isReady: boolean
  connect(): Promise<unknown>
  destroy(): void | Promise<void>
}

interface BufferCommands {
  getRange(key: string, start: number, end: number): Promise<Buffer | null>
  hGet(key: string, field: string): Promise<Buffer | null>
}

const adaptClient = (client: LibraryClient, commands: RedisCommands, buffers: BufferCommands): RedisClient => ({
  commands,
  buffers,
  get isReady() {
    return client.isReady
  },
  connect: () => client.connect(),
  destroy: () => void Promise.try(() => client.destroy()).catch(() => {}),
})
