// Content, blocklists and `doctor` checks of a remote service, from what the running service reports about itself.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ROOT } from '../../config/root.ts'
import { OperatorError } from '../../errors/index.ts'
import type { BlocklistInfo } from '../../features/blocklist/index.ts'
import type { ServiceProblem } from '../../platform/logging/index.ts'
import { type Check, error, ok, runChecks, warning } from '../doctor/check.ts'
import type { ContentService, OperatorService } from '../local-service.ts'
import { formatCount, formatSentence, formatTime } from '../text.ts'
import type { Connection, RequestOptions } from './connection.ts'
import { uploadFile } from './connection.ts'

type Request = <Reply>(method: string, path: string, options?: RequestOptions) => Promise<Reply>

type Catalogue = Awaited<ReturnType<ContentService['readKinds']>>['kinds']

interface Overview {
  readonly version: { readonly version: string }
  readonly uptime: number
  readonly startedAt: string
  readonly content: Catalogue
  readonly blocklists: readonly BlocklistInfo[]
  readonly problems: readonly ServiceProblem[]
  /** Null: not checked yet. */
  readonly store: { readonly ok: boolean; readonly message?: string } | null
}

const CONTENT_PARTS = ['content', 'releases']
const MAX_CLOCK_DIFFERENCE_MS = 30_000
const EXPIRY_WARNING_MS = 14 * 86_400_000

const countPictures = ({ animals }: Catalogue) => animals.reduce((sum, { count }) => sum + count, 0)

export function createRemoteContent(
  request: Request,
  open: () => Promise<Connection>,
  url: string,
  listClients: OperatorService['listClients'],
): ContentService {
  const readOverview = async () => (await request<{ overview: Overview }>('GET', '/overview')).overview
  const isContent = ({ part }: ServiceProblem) => CONTENT_PARTS.includes(part)

  return {
    async readKinds() {
      const { content: kinds, problems } = await readOverview()
      return { kinds, problems: problems.filter(isContent).length }
    },
    async checkContent() {
      const { content, problems } = await readOverview()
      const found = problems.filter(isContent).map(({ part, message, file = part, rule = part, line }) => ({
        ...{ file, rule, message },
        ...(line !== undefined && { line }),
      }))
      return { pictures: countPictures(content), problems: found }
    },
    async acceptContent(names) {
      type Reply = { accepted: Awaited<ReturnType<OperatorService['acceptContent']>> }
      return (await request<Reply>('POST', '/content/accept', { body: { names } })).accepted
    },

    async readBlocklists() {
      const { blocklists: lists, problems } = await readOverview()
      const problem = problems.find(({ part }) => part === 'blocklist')?.message
      return { lists, origins: lists.map(({ path, source }) => ({ list: path, from: source })), problem }
    },
    findBlockingEntry: async (host) =>
      (await request<{ entry: string | null }>('GET', '/blocklist/hosts/:host', { params: { host } })).entry ??
      undefined,

    /** This machine reads or downloads the list: the service would reach other hosts, such as those of its network. */
    async updateBlocklist(source, { force, onProgress }) {
      onProgress('fetching')
      const bytes = await readList(source)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      onProgress('sending')
      await uploadFile(await open(), { source: bytes, sha256, bytes: bytes.length })
      const { changed, entries } = await request<{ changed: boolean; entries: number }>('POST', '/blocklist/update', {
        body: { upload: sha256, name: source, force },
      })
      return { changed, entries, sha256 }
    },

    async runDoctor(context, onProgress) {
      const [overview, { token }] = await Promise.all([
        readOverview(),
        request<{ token: { expiresAt: string | null; scopes: readonly string[] } }>('GET', '/token'),
      ])
      return runChecks(listChecks(overview, token, url, listClients), context, onProgress)
    },
  }
}

async function readList(source: string): Promise<Uint8Array> {
  const { download } = await import('../publish-options.ts')
  const isUrl = /^https?:\/\//i.test(source)
  try {
    return isUrl
      ? Buffer.concat(await Array.fromAsync((await download(source)).body as AsyncIterable<Uint8Array>))
      : await readFile(source)
  } catch (error) {
    const subject = isUrl ? 'the source cannot be reached' : 'the file cannot be read'
    throw new OperatorError(`The list was rejected: ${subject}: ${(error as Error).message}.`)
  }
}

function listChecks(
  { version: { version }, uptime, startedAt, content, problems, store }: Overview,
  { expiresAt, scopes }: { expiresAt: string | null; scopes: readonly string[] },
  url: string,
  listClients: OperatorService['listClients'],
): readonly Check[] {
  const readAt = Date.now()
  return [
    {
      name: 'service',
      async run() {
        const { readVersion } = await import('../../features/developer/index.ts')
        const own = (await readVersion(ROOT)).version
        const text = `Menagerie ${version} runs at ${url}`
        return version === own
          ? ok(`${text}.`)
          : warning(`${text}, but this program is version ${own}.`, `Install version ${version} of this program`)
      },
    },
    {
      name: 'token',
      run: () => {
        const time = expiresAt === null ? undefined : Date.parse(expiresAt)
        const text = `The token has the scopes ${scopes.join(', ')}`
        if (time === undefined || time - readAt > EXPIRY_WARNING_MS) return ok(`${text}.`)
        return warning(`${text} and expires on ${formatTime(time)}.`, 'Create a new token with "token create"')
      },
    },
    {
      name: 'clock',
      run: () => {
        const differenceMs = Math.abs(Date.parse(startedAt) + uptime * 1000 - readAt)
        if (differenceMs < MAX_CLOCK_DIFFERENCE_MS) return ok('The clocks of the service and this machine agree.')
        const text = `The clocks of the service and this machine differ by ${Math.round(differenceMs / 1000)} seconds.`
        return warning(text, 'timedatectl set-ntp true, on both machines')
      },
    },
    {
      name: 'store',
      run: () => {
        if (!store) return ok('The store was not checked yet.')
        return store.ok ? ok('The store works.') : error(`The store fails: ${store.message}.`, `See ${url}/readyz`)
      },
    },
    {
      name: 'problems',
      run: () =>
        problems.length === 0
          ? ok(`The service reports no problems. It has ${formatCount(countPictures(content), 'picture')}.`)
          : problems.map(({ part, message, file, line, rule }) =>
              file === undefined
                ? // Most of these problems are temporary, and the service keeps serving.
                  warning(`${part}: ${formatSentence(message)}`, `See ${url}/readyz`)
                : { ...error(formatSentence(message)), file, line, rule: rule ?? part },
            ),
    },
    {
      name: 'clients',
      async run() {
        const pending = (await listClients('pending')).length
        return pending === 0
          ? ok('No request for a client key is pending.')
          : warning(`Pending requests for client keys: ${pending}.`, 'clients list --state pending')
      },
    },
  ]
}
