// Checks of the machine, of the installation, of the settings and of the folders that they name.
import { existsSync } from 'node:fs'
import { access, constants, readFile, stat, statfs } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { type Config, settings as definitions, listSettings, type SettingName } from '../../config/config.ts'
import { KERNELS_FILE, quoteForShell, ROOT } from '../../config/root.ts'
import { succeeds } from '../../platform/concurrency/index.ts'
import { isFolder } from '../../platform/files/index.ts'
import { formatCount, formatTime } from '../text.ts'
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

export const checkSettings = ({ settings: { problems, misspelled, namesSet } }: CheckContext) =>
  orOk(
    [
      ...problems.map(({ name, message }) => error(message, name && fixSetting(name))),
      ...misspelled.map(({ name, suggestion }) =>
        warning(`The environment variable ${name} is not a setting and has no effect.`, `Use ${suggestion} instead`),
      ),
    ],
    `${formatCount(namesSet.length, 'setting is', 'settings are')} set and valid. The others have their defaults.`,
  )

const fixSetting = (name: string) =>
  Object.hasOwn(definitions, name)
    ? `${name}=${definitions[name as SettingName].default}`
    : `Remove ${name} from .env, or correct its name`

const READABLE_BY_OTHERS = 0o004

export async function checkSecrets({ settings: { namesInFile, file }, config }: CheckContext): Promise<Findings> {
  const secrets = listSettings().flatMap(([name, { secret }]) => (secret && namesInFile.includes(name) ? [name] : []))
  const [env, data] = await Promise.all([file, config.DATA_DIR].map((path) => stat(path).catch(() => undefined)))
  // Windows has no permission bits.
  const isOpen = (mode = 0) => process.platform !== 'win32' && (mode & READABLE_BY_OTHERS) !== 0
  return orOk(
    [
      secrets.length > 0 &&
        isOpen(env?.mode) &&
        error(
          `Every user of this machine can read ${secrets.join(' and ')} in ${file}.`,
          `chmod 600 ${quoteForShell(file)}`,
        ),
      isOpen(data?.mode) &&
        warning(
          'Every user of this machine can read DATA_DIR, which contains contact data of clients.',
          `chmod 700 ${quoteForShell(config.DATA_DIR)}`,
        ),
    ],
    'Other users of this machine cannot read secrets.',
  )
}

const hasAccess = (path: string, mode: number) => succeeds(access(path, mode))

export const checkFolders = async ({ config, formatCommand }: CheckContext) => [
  await checkContentFolder(config.CONTENT_DIR, formatCommand),
  await checkDataFolder(config.DATA_DIR),
]

async function checkContentFolder(dir: string, formatCommand: (words: string) => string): Promise<Finding> {
  if (!(await isFolder(dir)))
    return error(
      `CONTENT_DIR (${dir}) is not a folder. Only built-in content is served.`,
      `mkdir -p ${quoteForShell(dir)}, or create example content with ${formatCommand('init <folder>')}`,
    )
  if (!(await hasAccess(dir, constants.R_OK | constants.X_OK)))
    return error(`This user cannot read CONTENT_DIR (${dir}).`, `chmod u+rx ${quoteForShell(dir)}`)
  if (!(await hasAccess(dir, constants.W_OK)))
    return warning(
      `This user cannot write to CONTENT_DIR (${dir}). Its content is served, but commands cannot publish.`,
      `chown -R "$USER" ${quoteForShell(dir)}`,
    )
  return ok(`CONTENT_DIR is ${dir}.`)
}

async function checkDataFolder(dir: string): Promise<Finding> {
  const parent = await findExisting(dir)
  if (!(await isFolder(parent)))
    return error(`DATA_DIR (${dir}) cannot be created, because ${parent} is not a folder.`, 'Set another DATA_DIR')
  if (!(await hasAccess(parent, constants.W_OK | constants.X_OK)))
    return error(
      `This user cannot write to DATA_DIR (${dir}). The service does not start.`,
      `chown -R "$USER" ${quoteForShell(parent)}, or set another DATA_DIR`,
    )
  return ok(parent === dir ? `DATA_DIR is ${dir}.` : `DATA_DIR (${dir}) is created at the first start.`)
}

/** The path itself, or its nearest parent that exists. */
async function findExisting(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    ({ code }) => code !== 'ENOENT',
  )
  return exists || dirname(path) === path ? path : findExisting(dirname(path))
}

/** With less than this, writes of SQLite, counts and generated files will soon fail. */
const MIN_FREE_BYTES = 64 * MEBIBYTE
/** For cached results, pictures and a copy of the database, in addition to the logs. */
const RECOMMENDED_BYTES = 512 * MEBIBYTE

export async function checkDisk({ config: { DATA_DIR, LOG_FILES, LOG_FILE_BYTES } }: CheckContext): Promise<Finding> {
  const { bavail, bsize } = await statfs(await findExisting(DATA_DIR))
  const free = bavail * bsize
  const logBytes = LOG_FILES * LOG_FILE_BYTES
  const left = `The disk of DATA_DIR has ${Math.floor(free / MEBIBYTE)} MiB left`
  if (free < MIN_FREE_BYTES) return error(`${left}. Writes will soon fail.`, 'Free disk space, or set another DATA_DIR')
  if (free >= logBytes + RECOMMENDED_BYTES) return ok(`${left}.`)
  const [logs, more] = [logBytes, RECOMMENDED_BYTES].map((bytes) => Math.ceil(bytes / MEBIBYTE))
  const text = `${left}. Logs may take ${logs} MiB, and ${more} MiB more are recommended.`
  return warning(text, 'Free disk space, or lower LOG_FILES')
}
