// Which service a command acts on: that of --server, of the environment or of the login, or the one on this machine.
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Environment } from '../../config/config.ts'
import { OperatorError, UsageError } from '../../errors/index.ts'
import { formatCommand } from '../help.ts'
import { parseServer, type Server } from './connection.ts'

/** The value of --server for the service on this machine. */
export const LOCAL = 'local'

/** Undefined: the environment has no folder for the user. */
function loginFile({ XDG_CONFIG_HOME, APPDATA, HOME }: Environment): string | undefined {
  const folder = XDG_CONFIG_HOME || APPDATA || (HOME && join(HOME, '.config'))
  return folder ? join(folder, 'menagerie', 'login.json') : undefined
}

export async function readLogin(environment: Environment): Promise<Server | undefined> {
  const file = loginFile(environment)
  const text = file && (await readFile(file, 'utf8').catch(() => undefined))
  if (!text) return undefined
  try {
    const { url, token } = JSON.parse(text)
    return { url: parseServer(url), token: String(token) }
  } catch {
    throw new OperatorError(`${file} is damaged. Use "${formatCommand('login <URL>')}" again.`)
  }
}

/** Returns the file. */
export async function writeLogin(environment: Environment, server: Server): Promise<string> {
  const file = loginFile(environment)
  if (!file) throw new OperatorError('There is no folder for the login. Set HOME or XDG_CONFIG_HOME.')
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, '', { mode: 0o600 })
  // The mode above has no effect on a file that exists.
  await chmod(file, 0o600)
  await writeFile(file, `${JSON.stringify(server)}\n`)
  return file
}

export async function removeLogin(environment: Environment): Promise<void> {
  const file = loginFile(environment)
  if (file) await rm(file, { force: true })
}

/** Undefined: the service on this machine. */
export async function chooseServer(environment: Environment, flag: string | undefined): Promise<Server | undefined> {
  const named = flag ?? (environment.MENAGERIE_SERVER || undefined)
  if (named === LOCAL) return undefined
  const login = await readLogin(environment)
  const url = named === undefined ? login?.url : parseServer(named)
  if (url === undefined) return undefined
  // The token of the login is for its server only.
  const token = environment.MENAGERIE_TOKEN || (login?.url === url ? login.token : undefined)
  if (!token)
    throw new OperatorError(
      `There is no token for ${url}. Set MENAGERIE_TOKEN, or use "${formatCommand(`login ${url}`)}".`,
    )
  return { url, token: parseToken(token) }
}

/** The message does not contain the token. */
export function parseToken(text: string): string {
  const token = text.trim()
  if (!token)
    throw new UsageError('There is no token. Set MENAGERIE_TOKEN, or enter the token that "token create" printed.')
  if (!/^[\x21-\x7e]{1,200}$/.test(token))
    throw new UsageError('The token must be one word, as "token create" printed it.')
  return token
}
