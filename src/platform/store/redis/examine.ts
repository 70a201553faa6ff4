import { createClient } from '@redis/client'
import { parseStoreUrl } from '../../../config/store-url.ts'
import { unavailable } from '../unavailable.ts'
import { meaningOf } from './describe-error.ts'

const CONNECT_MS = 2000

export interface ExaminedRedis {
  readonly version: string
  /** What Redis does when its memory is full, such as "noeviction". */
  readonly policy: string
  /** 0: as much as the machine has. */
  readonly maxBytes: number
  /** Whether what is written survives a restart of Redis; undefined where it may not be asked. */
  readonly persistent: boolean | undefined
  /** How far its clock is ahead of ours. */
  readonly aheadMs: number
  readonly latencyMs: number
}

/** Undefined where several servers stand behind the URL: each would have to be asked. */
export async function examineRedis(url: string): Promise<ExaminedRedis | undefined> {
  const address = parseStoreUrl(url)
  if (address.kind !== 'single') return undefined
  const socket = { connectTimeout: CONNECT_MS, reconnectStrategy: false } as const
  const client = createClient({ url: address.url, socket }).on('error', () => {})
  try {
    await client.connect()
    const [info, [seconds, micros]] = [await client.info(), await client.time()]
    const told = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? ''
    const aheadMs = Number(seconds) * 1000 + Number(micros) / 1000 - Date.now()
    const start = performance.now()
    await client.ping()
    const latencyMs = performance.now() - start
    // A hosted Redis often forbids CONFIG.
    const schedule = await client.configGet('save').then(
      ({ save }) => save,
      () => undefined,
    )
    return {
      version: told('redis_version'),
      policy: told('maxmemory_policy'),
      maxBytes: Number(told('maxmemory')),
      persistent: told('aof_enabled') === '1' || (schedule === undefined ? undefined : schedule !== ''),
      aheadMs,
      latencyMs,
    }
  } catch (error) {
    throw unavailable(meaningOf(error))
  } finally {
    client.destroy()
  }
}
