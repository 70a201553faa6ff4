import type { Log } from '../../platform/logging/index.ts'

/** A cache behind the one in memory, shared by the nodes of the service. Losing an entry costs work, nothing else. */
export interface SecondLevel {
  get(key: string): Promise<Buffer | undefined>
  set(key: string, bytes: Buffer, ttlMs: number): Promise<void>
}

export interface SharedCache {
  find<T>(key: string, read: (bytes: Buffer) => T): Promise<T | undefined>
  keep(key: string, write: () => Buffer, ttlMs: number): void
}

/** The second level without its failures: when it is away or holds rubbish, pictures are made again. */
export function forgiving(level: SecondLevel | undefined, log: Log | undefined): SharedCache {
  const failed = (error: unknown) => void log?.warn({ err: error }, 'the shared image cache does not answer')
  return {
    async find(key, read) {
      try {
        const bytes = await level?.get(key)
        return bytes && read(bytes)
      } catch (error) {
        return failed(error)
      }
    },
    keep(key, write, ttlMs) {
      level?.set(key, write(), ttlMs).catch(failed)
    },
  }
}
