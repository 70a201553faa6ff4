import { createClient } from '@redis/client'
import { parseStoreUrl } from '../../../config/store-url.ts'
import { toUnavailable } from '../health.ts'
import { describeError } from './connection.ts'

const CONNECT_TIMEOUT_MS = 2000

export type RedisInspection = NonNullable<Awaited<ReturnType<typeof inspectRedis>>>

/** Undefined for sentinels and clusters, where each server would have to be inspected. */
export async function inspectRedis(url: string) {
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
    const isReadOnlyReplica = readField('role') === 'slave' && readField('slave_read_only') === '1'
    return {
      version: readField('redis_version'),
      /** The server that this one is a read-only replica of. */
      master: isReadOnlyReplica ? `${readField('master_host')}:${readField('master_port')}` : undefined,
      /** What Redis evicts when its memory is full, for example "noeviction". */
      policy: readField('maxmemory_policy'),
      /** 0: no limit. */
      maxBytes: Number(readField('maxmemory')),
      usedBytes: Number(readField('used_memory')),
      /** Whether the data survives a restart of Redis; undefined if Redis does not allow the question. */
      persistent: readField('aof_enabled') === '1' || (snapshots === undefined ? undefined : snapshots !== ''),
      /** How far the clock of Redis is ahead of this machine's clock. */
      aheadMs,
      latencyMs,
    }
  } catch (error) {
    throw toUnavailable(describeError(error))
  } finally {
    client.destroy()
  }
}
