// Creates the client of the library for one server, for sentinels and for a cluster.
import type { RedisClientOptions, RedisClientType } from '@redis/client'
import { createClient, createCluster, createSentinel, RESP_TYPES } from '@redis/client'
import type { StoreAddress } from '../../../config/store-url.ts'

export type RedisAddress = Exclude<StoreAddress, { kind: 'sqlite' }>

const CONNECT_TIMEOUT_MS = 2000
/** A connection without any traffic for this long, including pings, is dead. */
const SOCKET_TIMEOUT_MS = 5000
const PING_INTERVAL_MS = 2000
const MAX_QUEUED_COMMANDS = 10_000
/** How soon the client asks the cluster which node took over the slots of a failed node. */
const TOPOLOGY_REFRESH_MS = 500

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
  | 'get'
  | 'set'
  | 'unlink'
  | 'pExpire'
  | 'hGet'
  | 'hSet'
  | 'hDel'
  | 'hLen'
  | 'hmGet'
  | 'hIncrBy'
  | 'hScan'
  | 'sMembers'
  | 'eval'
>

type Empty = Record<never, never>

const asBuffers = { [RESP_TYPES.BLOB_STRING]: Buffer }

export type RedisClient = ReturnType<typeof adaptClient>

/** The client of each attempt asks another sentinel first: the library would wait too long for one that hangs. */
export function createRedisClient(
  address: RedisAddress,
  onError: (error: unknown) => void,
  attempt: number,
): RedisClient {
  if (address.kind === 'single') {
    // The library writes the parts of the URL into this object: a copy between two servers would use the port of the
    // first one for the second one.
    const client = createClient({ ...common, url: address.url, socket: { ...socket } }).on('error', onError)
    return adaptClient(client, client, client.withTypeMapping(asBuffers))
  }
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
  const sentinel = createSentinel({
    name: address.master,
    sentinelRootNodes: rotate(address.sentinels, attempt),
    nodeClientOptions: { ...common, ...login, database: address.database, socket: nodeSocket },
    sentinelClientOptions: { socket: nodeSocket, pingInterval: PING_INTERVAL_MS },
    // A command that may have been executed is not sent again: only its caller knows whether that is safe.
    maxCommandRediscovers: 0,
    passthroughClientErrorEvents: true,
  }).on('error', onError)
  return adaptClient(sentinel, sentinel, sentinel.withTypeMapping(asBuffers))
}

const rotate = <T>(all: readonly T[], steps: number): T[] => {
  const start = steps % all.length
  return [...all.slice(start), ...all.slice(0, start)]
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

const adaptClient = (client: LibraryClient, commands: RedisCommands, buffers: BufferCommands) => ({
  commands,
  /** Commands that return bytes. `getRange` resolves to an empty buffer or null if the key does not exist. */
  buffers,
  get isReady() {
    return client.isReady
  },
  /** If it rejects, the client does not try again by itself, except for a single server. */
  connect: () => client.connect(),
  destroy: () => void Promise.try(() => client.destroy()).catch(() => {}),
})
