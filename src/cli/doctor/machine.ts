import { stat } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { ROOT } from '../../config/root.ts'
import { advice, type Check, type Finding, ok, wrong } from './check.ts'

const DAY_MS = 86_400_000
const MEBI = 2 ** 20

export const clockCheck: Check = {
  name: 'clock',
  async look({ config: { DATA_DIR } }) {
    const files = [join(ROOT, 'package.json'), DATA_DIR]
    const times = await Promise.all(
      files.map((file) =>
        stat(file).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        ),
      ),
    )
    return [judgeClock(Date.now(), Math.max(...times))]
  },
}

/** Bans, keys and schedules go by the clock; it cannot be earlier than what was written by it. */
export function judgeClock(now: number, newestWrite: number): Finding {
  const says = new Date(now).toISOString().slice(0, 16).replace('T', ' ')
  if (now + DAY_MS > newestWrite) return ok(`The clock says ${says} UTC.`)
  const text = `The clock says ${says} UTC, but files here were written later: bans, tokens and schedules go by it.`
  return wrong(text, 'timedatectl set-ntp true')
}

/** A connection is an open file; a filter request holds two. */
const FEWEST_FILES = 256
const ENOUGH_FILES = 4096

export const openFilesCheck: Check = {
  name: 'open files',
  look: () => [judgeOpenFiles(openFilesLimit())],
}

function openFilesLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } }
  const limit = Number(userLimits?.open_files?.soft)
  return Number.isNaN(limit) ? Number.POSITIVE_INFINITY : limit
}

export function judgeOpenFiles(limit: number): Finding {
  if (limit >= ENOUGH_FILES)
    return ok(`${Number.isFinite(limit) ? limit : 'Any number of'} files and connections may be open at once.`)
  const text = `Only ${limit} files and connections may be open at once; further callers are turned away.`
  return (limit < FEWEST_FILES ? wrong : advice)(text, 'ulimit -n 65536, or LimitNOFILE=65536 in the systemd unit')
}

export const memoryCheck: Check = {
  name: 'memory',
  async look({ config }) {
    const { memoryAtWorst } = await import('../../features/images/index.ts')
    const worstWith = (maxPixels: number) =>
      memoryAtWorst({
        ...{ maxBytes: config.FILTER_MAX_BYTES, cacheBytes: config.FILTER_CACHE_BYTES, maxPixels },
        ...{ waiting: config.FILTER_QUEUE, workers: config.WORKERS },
      })
    // A container may have less than its machine.
    const available = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
    return [judgeMemory(available, worstWith, config)]
  },
}

export function judgeMemory(
  available: number,
  worstWith: (maxPixels: number) => number,
  { FILTER_MAX_PIXELS }: Pick<Config, 'FILTER_MAX_PIXELS'>,
): Finding {
  const worst = worstWith(FILTER_MAX_PIXELS)
  const told = `At its worst the service takes ${Math.ceil(worst / MEBI)} MiB, and there are ${Math.floor(available / MEBI)}`
  if (worst <= available) return ok(`${told}.`)
  const mend = [20, 10, 5, 2].map((mega) => mega * 1_000_000).find((pixels) => worstWith(pixels) <= available)
  return advice(
    `${told}: many large pictures at once could end it.`,
    mend === undefined
      ? 'FILTER_MAX_PIXELS=2000000 and FILTER_CACHE_BYTES=33554432, or more memory'
      : `FILTER_MAX_PIXELS=${mend}`,
  )
}
