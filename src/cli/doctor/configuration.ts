// Checks of the settings and of the folders that they name.
import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { settings as definitions, listSettings, type SettingName } from '../../config/config.ts'
import { quoteForShell } from '../../config/program-call.ts'
import { isFolder } from '../../platform/files/index.ts'
import { formatCount } from '../text.ts'
import { type CheckContext, error, type Finding, type Findings, ok, orOk, warning } from './check.ts'

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
        error(`Every user of this machine can read ${secrets.join(' and ')} in ${file}.`, `chmod 600 ${file}`),
      isOpen(data?.mode) &&
        warning(
          'Every user of this machine can read DATA_DIR, which contains contact data of clients.',
          `chmod 700 ${quoteForShell(config.DATA_DIR)}`,
        ),
    ],
    'Other users of this machine cannot read secrets.',
  )
}

const hasAccess = (path: string, mode: number) =>
  access(path, mode).then(
    () => true,
    () => false,
  )

export const checkFolders = async ({ config, formatCommand }: CheckContext) => [
  await checkContentFolder(config.CONTENT_DIR, formatCommand),
  await checkDataFolder(config.DATA_DIR),
]

async function checkContentFolder(dir: string, formatCommand: (words: string) => string): Promise<Finding> {
  if (!(await isFolder(dir))) {
    return error(
      `CONTENT_DIR (${dir}) is not a folder. Only built-in content is served.`,
      `mkdir -p ${quoteForShell(dir)}, or create example content with ${formatCommand('init <folder>')}`,
    )
  }
  if (!(await hasAccess(dir, constants.R_OK | constants.X_OK))) {
    return error(`This user cannot read CONTENT_DIR (${dir}).`, `chmod u+rx ${quoteForShell(dir)}`)
  }
  if (!(await hasAccess(dir, constants.W_OK))) {
    return warning(
      `This user cannot write to CONTENT_DIR (${dir}). Its content is served, but commands cannot publish.`,
      `chown -R "$USER" ${quoteForShell(dir)}`,
    )
  }
  return ok(`CONTENT_DIR is ${dir}.`)
}

async function checkDataFolder(dir: string): Promise<Finding> {
  const parent = await findExisting(dir)
  if (!(await isFolder(parent))) {
    return error(`DATA_DIR (${dir}) cannot be created, because ${parent} is not a folder.`, 'Set another DATA_DIR')
  }
  if (!(await hasAccess(parent, constants.W_OK | constants.X_OK))) {
    return error(
      `This user cannot write to DATA_DIR (${dir}). The service does not start.`,
      `chown -R "$USER" ${quoteForShell(parent)}, or set another DATA_DIR`,
    )
  }
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

const MEBIBYTE = 2 ** 20
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
  return warning(`${left}, but logs may grow to ${Math.ceil(logBytes / MEBIBYTE)} MiB.`, 'LOG_FILES=3')
}
