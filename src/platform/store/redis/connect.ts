import {
  createClient,
  createCluster,
  createSentinel,
  RESP_TYPES,
  type RedisClientOptions,
  type RedisClientType,
} from '@redis/client'
import type { HostPort, StoreAddress } from '../../../config/store-url.ts'
import { slotOf } from './slot.ts'
import { createValueReaders } from './value-readers.ts'

export type RedisAddress = Exclude<StoreAddress, { kind: 'sqlite' }>

const CONNECT_MS = 2000
/** A connection that is silent for so long, pings included, is dead. */
const SILENCE_MS = 5000
const PING_MS = 2000
const MAX_WAITING = 10_000
/** How soon a cluster is asked who serves the slots of a node that went away. */
const ASK_CLUSTER_MS = 500

const socket = {
  connectTimeout: CONNECT_MS,
  socketTimeout: SILENCE_MS,
  // Jitter, so that many nodes do not all come back in the same moment.
  reconnectStrategy: (retries: number) => Math.min(50 * 2 ** retries, 1000) * (0.75 + Math.random() / 2),
}

const common = {
  disableOfflineQueue: true,
  commandsQueueMaxLength: MAX_WAITING,
  pingInterval: PING_MS,
  maintNotifications: 'disabled',
} satisfies RedisClientOptions

/** The commands that are used, which one server, sentinels and a cluster have in common. */
export type RedisCommands = Pick<
  RedisClientType<Empty, Empty, Empty, 3, Empty>,
  'get' | 'set' | 'hGet' | 'hmGet' | 'hScan' | 'eval'
>

type Empty = Record<never, never>

/** A value as it is, of which so many bytes are read at most; empty or null where there is none. */
export type ReadBytes = (key: string, most: number) => Promise<Buffer | null>

const asBytes = { [RESP_TYPES.BLOB_STRING]: Buffer }

export interface Connection {
  readonly commands: RedisCommands
  readonly readBytes: ReadBytes
  readonly isReady: boolean
  /** Where it rejects, the connection does not try again by itself. */
  connect(): Promise<unknown>
  destroy(): void
}

export function connectionTo(address: RedisAddress, onError: (error: unknown) => void): Connection {
  if (address.kind === 'single') {
    const client = createClient({ ...common, url: address.url, socket }).on('error', onError)
    const { socket: wire, username, password, database } = client.options
    const { host = 'localhost', port = 6379, tls } = wire as { host?: string; port?: number; tls?: boolean }
    const login = { username, password, database, tls }
    return connectionOf(client, client, client.withTypeMapping(asBytes), login, () => ({ host, port }))
  }
  const { username, password, tls } = address
  const login = { ...(username && { username }), ...(password && { password }) }
  const wire = tls ? { ...socket, tls: true as const } : socket
  if (address.kind === 'cluster') {
    const cluster = createCluster({
      rootNodes: address.nodes.map(({ host, port }) => ({ socket: { host, port } })),
      defaults: { ...common, ...login, socket: wire },
      // A node is connected to when it is needed: one that is away must not keep us from the others.
      minimizeConnections: true,
      topologyRefreshOnReconnectionAttemptStrategy: ASK_CLUSTER_MS,
    })
      .on('error', onError)
      .on('node-error', onError)
    const nodeOf = (key: string) => cluster.slots[slotOf(key)]?.master
    return connectionOf(cluster, cluster, cluster.withTypeMapping(asBytes), address, nodeOf)
  }
  const sentinel = createSentinel({
    name: address.master,
    sentinelRootNodes: [...address.sentinels],
    nodeClientOptions: { ...common, ...login, database: address.database, socket: wire },
    sentinelClientOptions: { socket: wire },
    // A command that may have been carried out is not sent again: its caller knows whether it may be.
    maxCommandRediscovers: 0,
    passthroughClientErrorEvents: true,
  }).on('error', onError)
  return connectionOf(sentinel, sentinel, sentinel.withTypeMapping(asBytes), address, () => sentinel.getMasterNode())
}

interface Opened {
  readonly isReady: boolean
  connect(): Promise<unknown>
  destroy(): void | Promise<void>
}

interface Bytes {
  getRange(key: string, start: number, end: number): Promise<Buffer | null>
}

interface Login {
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly database?: number | undefined
  readonly tls?: boolean | undefined
}

function connectionOf(
  opened: Opened,
  commands: RedisCommands,
  bytes: Bytes,
  { username, password, database, tls }: Login,
  nodeOf: (key: string) => HostPort | undefined,
): Connection {
  const greeting: string[][] = []
  if (password) greeting.push(username ? ['AUTH', username, password] : ['AUTH', password])
  if (database) greeting.push(['SELECT', String(database)])
  const otherwise: ReadBytes = (key, most) => bytes.getRange(key, 0, most - 1)
  // Encrypted values have to be copied anyway.
  const readers = tls ? undefined : createValueReaders({ nodeOf, greeting, otherwise })
  return {
    commands,
    readBytes: readers?.readBytes ?? otherwise,
    get isReady() {
      return opened.isReady
    },
    connect: () => opened.connect(),
    destroy: () => {
      readers?.destroy()
      Promise.try(() => opened.destroy()).catch(() => {})
    },
  }
}
