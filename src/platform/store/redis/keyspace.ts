// The keys of the service in Redis, and how records under them are read and written.
import { crc32 } from 'node:zlib'
import { parseJson } from '../../files/index.ts'
import type { Log } from '../../logging/index.ts'
import { StoreError } from '../health.ts'
import type { Clock } from '../store.ts'
import type { RedisConnection } from './connection.ts'

/** The braces put all state keys into one slot of a cluster, so that a script can use several of them. */
export const PREFIX = '{menagerie}:'

/**
 * Keys that exist once per client address (rate limits) or per cached result are spread over 16 partitions. All keys of
 * a partition share one slot. The numbers are chosen so that each partition falls into a different sixteenth of the slots.
 */
const PARTITION_NUMBERS = [62, 2, 13, 22, 63, 3, 12, 23, 60, 0, 11, 20, 61, 1, 10, 21]

export const partitions: readonly string[] = PARTITION_NUMBERS.map((number) => `{menagerie:${number}}:`)

/** The index of the partition of a name; the same on every node. */
export const choosePartition = (name: string) => crc32(name) % partitions.length

/** The keys that hold state, by their Redis type. */
const keysByType = {
  hash: [
    'downloads:writers',
    'downloads:rows',
    'downloads:versions',
    'downloads:days',
    'adoption:days',
    'adoption:sketches',
    'adoption:checks',
    'clients',
    'tokens',
    'tokens:used',
    'bans',
    'strikes',
    'markers',
    'content',
    'content:files',
    'content:changes',
  ],
  zset: ['downloads:seen', 'bans:revisions', 'bans:ends', 'bans:automatic', 'strikes:ends', 'content:nodes'],
  set: ['clients:pending', 'usage:days'],
}

export const stateKeys = Object.values(keysByType).flat()

/** Keys that hold no state, by their Redis type. */
const otherKeysByType = {
  string: ['clients:revision', 'tokens:revision', 'bans:revision', 'bans:forgotten', 'content:lock'],
  list: ['content:puts'],
  zset: ['bans:log'],
}

const probedKeys = [...Object.entries(keysByType), ...Object.entries(otherKeysByType)].flatMap(([type, keys]) =>
  keys.map((key) => ({ key, type })),
)

const PROBE = `
  local count = redis.call('INCR', KEYS[1])
  for i = 2, #KEYS do
    local found = redis.call('TYPE', KEYS[i]).ok
    if found ~= ARGV[i - 1] and found ~= 'none' then return KEYS[i] end
  end
  local time, memory = redis.call('TIME'), redis.pcall('INFO', 'memory')
  local policy = type(memory) == 'string' and not memory:match('maxmemory:0') and memory:match('policy:(allkeys[%w-]+)')
  return { time[1], policy or '', count }`

/** Bans and tokens depend on both clocks. */
const MAX_CLOCK_DIFFERENCE_MS = 5000

/**
 * Checks that the state can be written. It uses a script, as nearly all writes do, because an ACL may allow everything
 * except scripts. Also detects keys that another program in the same database has written under our names. Returns a
 * warning if Redis may evict the state (unknown if an ACL forbids INFO), or if the clocks differ. `count` grows with each
 * probe of any node, unless Redis lost data.
 */
export async function probeKeys({ evaluate, clock }: RedisContext) {
  const sentAt = clock()
  const types = probedKeys.map(({ type }) => type)
  const found = await evaluate(PROBE, ['probes', ...probedKeys.map(({ key }) => key)], types)
  if (!Array.isArray(found)) {
    const name = String(found).slice(PREFIX.length)
    throw new StoreError(`another program has written the key ${name} in Redis; remove or rename that key`)
  }
  const [seconds, policy, count] = found
  const serverTime = Number(seconds) * 1000
  const differenceMs = Math.max(serverTime - clock(), sentAt - serverTime)
  return { count: Number(count), warning: describeWarning(policy, differenceMs) }
}

function describeWarning(policy: unknown, differenceMs: number): string | undefined {
  if (policy) return `Redis deletes data when its memory is full (${policy}); set maxmemory-policy noeviction`
  if (differenceMs <= MAX_CLOCK_DIFFERENCE_MS) return undefined
  return `the clocks of Redis and this node differ by ${Math.round(differenceMs / 1000)} seconds; synchronise both with NTP`
}

/** Records per script, so that a long list does not block other clients of Redis. */
const CHUNK = 500

type Arguments = (string | number | Uint8Array)[]

/** The client sends strings and buffers only. */
const toArgument = (value: Arguments[number]) => (value instanceof Uint8Array ? Buffer.from(value) : String(value))

export type RedisContext = ReturnType<typeof createRedisContext>

/** Helpers of the modules that store tokens, bans, clients and counts. Keys are given without the prefix. */
export function createRedisContext(redis: RedisConnection, { clock, log }: { clock: Clock; log: Log }) {
  /** Runs a script as one atomic step on the server. */
  const evaluate = (script: string, keys: string[], args: Arguments) =>
    redis.run((commands) =>
      commands.eval(script, { keys: keys.map((key) => PREFIX + key), arguments: args.map(toArgument) }),
    )

  const readHash = (key: string) => readFieldsInPages(redis, PREFIX + key)

  return {
    clock,
    evaluate,
    readHash,
    readSet: (key: string) => redis.run((commands) => commands.sMembers(PREFIX + key)),
    readField: (key: string, field: string) => redis.run((commands) => commands.hGet(PREFIX + key, field)),
    readBytes: (key: string, field: string) => redis.run((_, buffers) => buffers.hGet(PREFIX + key, field)),
    readFields: (key: string, fields: string[]) => redis.run((commands) => commands.hmGet(PREFIX + key, fields)),

    /** Runs a script with the arguments of many records. ARGV[1] is the current time. */
    async evaluateInChunks<T>(
      script: string,
      keys: string[],
      all: readonly T[],
      toArguments: (record: T) => Arguments,
    ) {
      for (let start = 0; start < all.length; start += CHUNK) {
        await evaluate(script, keys, [clock(), ...all.slice(start, start + CHUNK).flatMap(toArguments)])
      }
    },

    /** Creates a function that reads all records of a hash. It skips invalid records, which must not hide the others. */
    createRecordReader<T>(key: string, isRecord: IsRecord<T>) {
      let lastSkipped = 0
      return async (): Promise<T[]> => {
        const texts = [...(await readHash(key)).values()]
        const records = texts.map((text) => parseRecord(text, isRecord)).filter((record) => record !== undefined)
        const skipped = texts.length - records.length
        if (skipped > lastSkipped) log.warn({ key, skipped }, 'Redis holds records that this service did not write')
        lastSkipped = skipped
        return records
      }
    },

    readRevision: async (records: string) =>
      Number(await evaluate(READ_REVISION, [records, `${records}:revision`], [])),
  }
}

const MAX_READS = 3

/**
 * Reads all fields of a hash in pages, so that a large hash does not block other clients of Redis. If a cluster moves the
 * hash to another server meanwhile, fields are missing, because positions are different there: then it is read again.
 */
export async function readFieldsInPages({ run }: RedisConnection, key: string): Promise<Map<string, string>> {
  for (let reads = 1; ; reads++) {
    const fields = new Map<string, string>()
    let cursor = '0'
    do {
      const page = await run((commands) => commands.hScan(key, cursor, { COUNT: 1000 }))
      for (const { field, value } of page.entries) fields.set(field, value)
      cursor = page.cursor
    } while (cursor !== '0')
    // Others may add fields all the time.
    if (reads === MAX_READS || fields.size >= (await run((commands) => commands.hLen(key)))) return fields
  }
}

type IsRecord<T> = (value: unknown) => value is T

/** Creates a check that an object has the given fields with the given types. */
export const hasFields =
  <T>(types: Partial<Record<keyof T, 'string' | 'number'>>): IsRecord<T> =>
  (value): value is T =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(types).every(([name, type]) => typeof (value as Record<string, unknown>)[name] === type)

/** Undefined if the text is not a record that this service wrote. */
export function parseRecord<T>(text: string | null | undefined, isRecord: IsRecord<T>): T | undefined {
  const value = parseJson(text ?? '')
  return isRecord(value) ? value : undefined
}

/** Groups a flat reply: [a, 1, b, 2] becomes [[a, 1], [b, 2]]. */
export const toPairs = (flat: readonly string[]) =>
  flat.flatMap((first, index) => (index % 2 === 0 ? [[first, flat[index + 1] ?? ''] as const] : []))

export const compareByAge = (a: { id: string; createdAt: number }, b: { id: string; createdAt: number }) =>
  a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)

/**
 * Lua: raises the revision whose key is in the variable `revision`. Revisions follow the server's clock: a Redis that
 * lost its last writes must not reach a number again that a node already associates with the lost state.
 */
export const RAISE_REVISION = `
  local time = redis.call('TIME')
  local nextRevision = string.format('%.0f',
    math.max(tonumber(redis.call('GET', revision) or '0') + 1, time[1] * 1000000 + time[2]))
  redis.call('SET', revision, nextRevision)`

/**
 * Lua: sets `latestEnd`. Records that end at or before it have expired. It is the earlier of the caller's clock (ARGV[1])
 * and the server's clock: a node whose clock is ahead must not delete what is still valid for the others.
 */
export const SET_LATEST_END = `
  local serverTime = redis.call('TIME')
  local latestEnd = math.min(tonumber(ARGV[1]), serverTime[1] * 1000)`

/**
 * Appends .5 if the records are gone: Redis may evict them and keep the revision. The result then differs from the last
 * revision, so that every node notices the change.
 */
const READ_REVISION = `
  local revision = redis.call('GET', KEYS[2]) or '0'
  return redis.call('EXISTS', KEYS[1]) == 1 and revision or revision .. '.5'`
