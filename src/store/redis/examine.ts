import type { Log } from '../store.ts'
import { linkRedis } from './link.ts'
import { PREFIX } from './part.ts'

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

export async function examineRedis(url: string, log: Log): Promise<ExaminedRedis> {
  const link = linkRedis(url, { prefix: PREFIX, log })
  try {
    return await link.run(async (client) => {
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
    })
  } finally {
    await link.close()
  }
}
