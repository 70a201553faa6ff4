// Checks of the machine and of the installation.
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { KERNELS_FILE, ROOT } from '../../config/root.ts'
import { formatTime } from '../text.ts'
import { type CheckContext, error, type Finding, type Findings, ok, orOk, warning } from './check.ts'

// Fonts are not checked: drawings contain only shapes, no text.
export async function checkInstallation({ formatCommand }: CheckContext): Promise<Findings> {
  const rebuild = formatCommand('--script scripts/build.ts')
  return [await checkSharp(), await checkKernels(rebuild), checkPages(rebuild)]
}

async function checkSharp(): Promise<Finding> {
  try {
    const { default: sharp } = await import('sharp')
    await sharp({ create: { width: 1, height: 1, channels: 3, background: '#000' } })
      .webp()
      .toBuffer()
    return ok(`sharp ${sharp.versions.sharp} with libvips ${sharp.versions.vips} works.`)
  } catch {
    return error('sharp, which reads and writes images, does not work on this machine.', `npm ci, in ${ROOT}`)
  }
}

async function checkKernels(rebuild: string): Promise<Finding> {
  try {
    const { createKernels } = await import('../../features/filters/index.ts')
    createKernels(await readFile(KERNELS_FILE))
    return ok('The filter kernels are built.')
  } catch {
    return error('The filter kernels are missing or damaged. Filters do not work.', rebuild)
  }
}

function checkPages(rebuild: string): Finding {
  const missing = ['site.css', 'front.js', 'docs.js'].filter((name) => !existsSync(join(ROOT, 'build', 'site', name)))
  if (missing.length === 0) return ok('The pages are built.')
  return error(`The pages are not built. Missing: ${missing.join(', ')}.`, rebuild)
}

const DAY_MS = 86_400_000
const MEBIBYTE = 2 ** 20

/** The clock cannot be earlier than the times of files that were written with it. */
export async function checkClock({ config: { DATA_DIR } }: CheckContext, now = Date.now()): Promise<Finding> {
  const files = await Promise.all([join(ROOT, 'package.json'), DATA_DIR].map((path) => stat(path).catch(() => null)))
  const newestWrite = Math.max(...files.map((file) => file?.mtimeMs ?? 0))
  const time = formatTime(now)
  if (now + DAY_MS > newestWrite) return ok(`The clock shows ${time}.`)
  const text = `The clock shows ${time}, but package.json or DATA_DIR was changed later. Bans, tokens and schedules depend on the clock.`
  return error(text, 'timedatectl set-ntp true')
}

/** Each connection is an open file. A filter request uses two. */
const MIN_OPEN_FILES = 256
const RECOMMENDED_OPEN_FILES = 4096

export function readOpenFilesLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } }
  const limit = Number(userLimits?.open_files?.soft)
  return Number.isNaN(limit) ? Number.POSITIVE_INFINITY : limit
}

export function checkOpenFiles(limit: number): Finding {
  const shown = Number.isFinite(limit) ? limit : 'unlimited'
  if (limit >= RECOMMENDED_OPEN_FILES) return ok(`Limit of open files and connections: ${shown}.`)
  const text = `Only ${limit} files and connections can be open at once. Further connections are refused.`
  return (limit < MIN_OPEN_FILES ? error : warning)(text, 'ulimit -n 65536, or LimitNOFILE=65536 in the systemd unit')
}

export async function checkMemory(config: Config, machine?: { available: number; cores: number }): Promise<Finding> {
  const { planMemory } = await import('../../features/images/index.ts')
  const { limit, worstCase } = planMemory(config, config.WORKERS, machine)
  const needed = Object.values(worstCase).reduce((sum, bytes) => sum + bytes)
  const [neededMiB, limitMiB] = [Math.ceil(needed / MEBIBYTE), Math.floor(limit / MEBIBYTE)]
  const user = config.WORKERS > 1 ? 'each worker' : 'the service'
  const text = `In the worst case ${user} uses ${neededMiB} MiB of memory. Its limit is ${limitMiB} MiB.`
  if (needed <= limit) return ok(text)
  return warning(
    `${text} Several large images at once could crash it.`,
    config.WORKERS > 1
      ? 'fewer WORKERS, or more memory'
      : `MEMORY_LIMIT=${neededMiB * MEBIBYTE}, and a machine or container with at least that much memory`,
  )
}

export const checkProcesses = ({ WORKERS: workers, STORE_URL }: Config, cores = availableParallelism()) =>
  orOk(
    [
      workers > 1 &&
        !STORE_URL.startsWith('redis') &&
        error(
          `WORKERS is ${workers}, but with SQLite each worker would allow the full rate limit. Several workers need Redis.`,
          'STORE_URL=redis://127.0.0.1:6379, or WORKERS=1',
        ),
      workers > cores &&
        warning(
          `WORKERS is ${workers}, but this machine has ${cores} cores. More processes only use more memory.`,
          `WORKERS=${cores}`,
        ),
    ],
    `${workers === 1 ? 'One process' : `${workers} processes`} on ${cores} cores.`,
  )
