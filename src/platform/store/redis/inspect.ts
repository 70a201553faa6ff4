import { createClient } from '@redis/client'
import { parseStoreUrl } from '../../../config/store-url.ts'
import { toUnavailable } from '../health.ts'
import { describeError } from './connection.ts'

const CONNECT_TIMEOUT_MS = 2000

export interface RedisInspection {
  readonly version: string
  /** The eviction policy for a full memory, for example "noeviction". */
  readonly policy: string
  /** 0: no limit. */
  readonly maxBytes: number
  /** Whether the data survives a restart of Redis; undefined if Redis does not allow the question. */
  readonly persistent: boolean | undefined
  /** How far the clock of Redis is ahead of this machine's clock. */
  readonly aheadMs: number
  readonly latencyMs: number
}

/** Undefined for sentinels and clusters, where each server would have to be inspected. */
export async function inspectRedis(url: string): Promise<RedisInspection | undefined> {
  const address = parseStoreUrl(url)
  if (address.kind !== 'single') return undefined
  const socket = { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false } as const
  const client = createClient({ url: address.url, socket }).on('error', () => {})
  try {
    await client.connect()
    const [info, [seconds, micros]] = [await client.info(), await client.time()]
    const readField = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? ''
    const aheadMs = Number(seconds) * 1000 + Number(micros) / 1000 - Date.now()
    const start = performance.now()
    await client.ping()
    const latencyMs = performance.now() - start
    // Hosted Redis services often forbid CONFIG.
    const snapshots = await client.configGet('save').then(
      ({ save }) => save,
      () => undefined,
    )
    return {
      version: readField('redis_version'),
      policy: readField('maxmemory_policy'),
      maxBytes: Number(readField('maxmemory')),
      persistent: readField('aof_enabled') === '1' || (snapshots === undefined ? undefined : snapshots !== ''),
      aheadMs,
      latencyMs,
    }
  } catch (error) {
    throw toUnavailable(describeError(error))
  } finally {
    client.destroy()
  }
}
