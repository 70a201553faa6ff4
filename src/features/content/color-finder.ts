import { readFile } from 'node:fs/promises'
import { ApiError, Busy } from '../../errors/index.ts'
import { createFairSemaphore } from '../../platform/concurrency/index.ts'
import { listNetworks } from '../../platform/net/index.ts'
import type { FileCache } from './file-cache.ts'
import type { FindColor, Picture } from './picture-index.ts'
import type { FileEntry } from './read-picture-file.ts'
import { digestOf } from './validate-picture.ts'

/** For pictures that cannot be analysed, such as those with more pixels than filters accept. */
export const UNKNOWN_COLOR = '#808080'
/** Each holds a whole file in memory. */
const limits = { maxRunning: 2, maxRunningPerGroup: 2, maxWaiting: 32, waitTimeoutMs: 2000, computeRetryAfter: () => 1 }

/** Finds the dominant colour of a picture. Clients take turns. */
export type AnalyseColor = (bytes: Buffer, client?: string) => Promise<string>

export type ColorFinder = ReturnType<typeof createColorFinder>

/**
 * Finds the colours of pictures when they are first requested: decoding 100,000 pictures at the start would take hours.
 * The results are stored for the next start.
 */
export function createColorFinder(analyse: AnalyseColor, cache: FileCache<FileEntry>) {
  const semaphore = createFairSemaphore(limits)
  const inProgress = new Map<Picture, Promise<string>>()

  async function read(folder: string, picture: Picture, client: string | undefined): Promise<string> {
    using _slot = await semaphore.acquire(client === undefined ? [] : listNetworks(client))
    const { name, stamp, id, type, width, height } = picture
    const path = `${folder}/${name}`
    const bytes = await readFile(path)
    if (digestOf(bytes) !== id) throw new Busy(1)
    const color = await analyse(bytes, client).catch((error: unknown) => {
      if (error instanceof ApiError && error.status < 500) return UNKNOWN_COLOR
      throw error
    })
    cache.put(path, stamp, { picture: { id, type, width, height, color } })
    return color
  }

  /** For the pictures of one folder. */
  return (folder: string): FindColor =>
    async (picture, client) => {
      const finding = inProgress.get(picture) ?? read(folder, picture, client).finally(() => inProgress.delete(picture))
      inProgress.set(picture, finding)
      // Too many at once, or the file has changed: the next request tries again.
      return finding.catch(() => null)
    }
}
