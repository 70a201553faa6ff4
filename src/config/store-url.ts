// The forms of STORE_URL. The settings validate it at startup; the store connects to it.
import { OperatorError } from '../errors/index.ts'

type HostPort = { readonly host: string; readonly port: number }

type Login = { readonly username?: string; readonly password?: string; readonly tls: boolean }

export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'single'; readonly url: string }
  | (Login & {
      readonly kind: 'sentinel'
      readonly sentinels: readonly HostPort[]
      readonly master: string
      readonly database: number
    })
  | (Login & { readonly kind: 'cluster'; readonly nodes: readonly HostPort[] })

/** The message completes the sentence "STORE_URL must be …". */
export class StoreUrlError extends Error {}

export const STORE_URL_RULE =
  'sqlite:<file>, redis://host:port, redis-sentinel://host:port,host:port/master-name, ' +
  'redis-cluster://host:port,host:port (rediss… for TLS), or empty for an SQLite file in DATA_DIR'

const invalid = (problem: string) => new StoreUrlError(`${STORE_URL_RULE}; ${problem}`)

/** An empty `file` means the one in DATA_DIR. No message repeats the text, because it may contain a password. */
export function parseStoreUrl(text: string): StoreAddress {
  if (text === '') return { kind: 'sqlite', file: '' }
  const [, scheme = '', rest = ''] = /^([a-z-]+):(.*)$/s.exec(text) ?? []
  if (scheme === 'sqlite' && rest !== '') return { kind: 'sqlite', file: rest }
  const [, tls, form] = /^redis(s?)(|-sentinel|-cluster)$/.exec(scheme) ?? []
  if (form === undefined || !rest.startsWith('//')) throw new StoreUrlError(STORE_URL_RULE)
  if (form === '') {
    if (!URL.parse(text)?.hostname) throw invalid('it has no host')
    return { kind: 'single', url: text }
  }

  const [, login, hosts = '', path = '', query = ''] =
    /^\/\/(?:(.*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/s.exec(rest) ?? []
  const common = { ...readLogin(login), tls: tls === 's' }
  const list = readHosts(hosts, form === '-sentinel' ? 26_379 : 6379)
  const search = new URLSearchParams(query)
  const unknown = [...search.keys()].find((name) => name !== 'db' || form === '-cluster')
  if (unknown !== undefined) throw invalid(`the parameter "${unknown}" is unknown`)
  if (form === '-cluster') {
    if (path !== '') throw invalid('a cluster has only database 0, so nothing may follow the hosts')
    return { kind: 'cluster', nodes: list, ...common }
  }
  if (!/^[\w.-]+$/.test(path)) throw invalid('the name of the master must follow the hosts')
  const database = search.get('db') ?? '0'
  if (!/^\d{1,4}$/.test(database)) throw invalid('db must be a whole number')
  return { kind: 'sentinel', sentinels: list, master: path, database: Number(database), ...common }
}

function readLogin(login: string | undefined): { username?: string; password?: string } {
  if (login === undefined) return {}
  const colon = login.indexOf(':')
  try {
    const username = decodeURIComponent(colon < 0 ? login : login.slice(0, colon))
    const password = colon < 0 ? '' : decodeURIComponent(login.slice(colon + 1))
    return { ...(username && { username }), ...(password && { password }) }
  } catch {
    throw invalid('a % in the user name or password must be written as %25')
  }
}

function readHosts(text: string, defaultPort: number): HostPort[] {
  return text.split(',').map((entry) => {
    const [, host = '', port] = /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(entry.trim()) ?? []
    if (host === '' || Number(port ?? defaultPort) > 65_535)
      throw invalid('the hosts must be host:port, separated by commas')
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? defaultPort) }
  })
}

/** Several workers need Redis: SQLite has no shared rate limits, so each worker would allow the full limit. */
export function assertSharedStore({ WORKERS, STORE_URL }: { WORKERS: number; STORE_URL: string }): void {
  if (WORKERS === 1 || STORE_URL.startsWith('redis')) return
  throw new OperatorError(
    `WORKERS is ${WORKERS}, and several workers need a shared store. Set STORE_URL to redis://…, or WORKERS to 1.`,
  )
}
