import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../../config/config.ts'
import { quoted } from '../program-call.ts'
import { advice, type Check, type Finding, ok, orOk, wrong } from './check.ts'

const may = (path: string, mode: number) =>
  access(path, mode).then(
    () => true,
    () => false,
  )
const isFolder = async (path: string) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false

export const foldersCheck: Check = {
  name: 'folders',
  look: async ({ config: { CONTENT_DIR, DATA_DIR }, command }) => [
    ...(await contentFolder(CONTENT_DIR, command)),
    ...(await dataFolder(DATA_DIR)),
  ],
}

async function contentFolder(dir: string, command: (words: string) => string): Promise<readonly Finding[]> {
  if (!(await isFolder(dir))) {
    const text = `CONTENT_DIR (${dir}) is not a folder: only what comes with the service is served.`
    return [wrong(text, `${command('init <folder>')} makes an example, or mkdir -p ${quoted(dir)}`)]
  }
  if (!(await may(dir, constants.R_OK | constants.X_OK))) {
    return [wrong(`CONTENT_DIR (${dir}) may not be read by this user.`, `chmod u+rx ${quoted(dir)}`)]
  }
  const closed = advice(
    `CONTENT_DIR (${dir}) may not be written by this user: it is served, but commands cannot publish into it.`,
    `chown -R "$USER" ${quoted(dir)}`,
  )
  return orOk([!(await may(dir, constants.W_OK)) && closed], `CONTENT_DIR is ${dir}.`)
}

async function dataFolder(dir: string): Promise<readonly Finding[]> {
  const nearest = await existingFolder(dir)
  const mend = `chown -R "$USER" ${quoted(nearest)}, or set another DATA_DIR`
  if (!(await isFolder(nearest)))
    return [wrong(`DATA_DIR (${dir}) cannot be made: ${nearest} is not a folder.`, 'set another DATA_DIR')]
  if (!(await may(nearest, constants.W_OK | constants.X_OK))) {
    return [wrong(`DATA_DIR (${dir}) may not be written by this user, and the service does not start without.`, mend)]
  }
  return [ok(nearest === dir ? `DATA_DIR is ${dir}.` : `DATA_DIR (${dir}) is made at the first start.`)]
}

/** The path itself, or the nearest above it that exists. */
async function existingFolder(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    ({ code }) => code !== 'ENOENT',
  )
  return isThere || dirname(path) === path ? path : existingFolder(dirname(path))
}

/** SQLite, counts and generated files fit into it a while longer; below, writes are about to fail. */
const LEAST_BYTES = 64 * 2 ** 20
/** For results, pictures and a copy of the database, beside the logs. */
const ROOMY_BYTES = 512 * 2 ** 20
const MEBI = 2 ** 20

export const diskCheck: Check = {
  name: 'disk',
  async look({ config }) {
    const { bavail, bsize } = await statfs(await existingFolder(config.DATA_DIR))
    return [judgeSpace(bavail * bsize, config)]
  },
}

function judgeSpace(free: number, { LOG_FILES, LOG_FILE_BYTES, DATA_DIR }: Config): Finding {
  const wanted = LOG_FILES * LOG_FILE_BYTES + ROOMY_BYTES
  const left = `The disk of DATA_DIR has ${Math.floor(free / MEBI)} MiB left`
  if (free < LEAST_BYTES)
    return wrong(`${left}: writes are about to fail.`, `free some space below ${DATA_DIR}, or set another DATA_DIR`)
  if (free >= wanted) return ok(`${left}.`)
  return advice(`${left}, but logs may grow to ${Math.ceil((LOG_FILES * LOG_FILE_BYTES) / MEBI)} MiB.`, 'LOG_FILES=3')
}
