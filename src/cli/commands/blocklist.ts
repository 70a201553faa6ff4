import { resolve } from 'node:path'
import { domainToASCII } from 'node:url'
import { styleText } from 'node:util'
import type { Config } from '../../config/config.ts'
import { OperatorError, UsageError } from '../../errors/index.ts'
import type { Blocklist, BlocklistInfo } from '../../features/blocklist/index.ts'
import { type CommandResult, defineCommand } from '../command.ts'
import { formatCount, formatFields, formatSentence, formatTime } from '../text.ts'
import { silentLog, withBlocklist } from '../with-services.ts'

const settings = ['DATA_DIR', 'CONTENT_DIR'] as const

export const blocklistCheck = defineCommand({
  name: 'blocklist check',
  summary: 'Checks whether a host is on the blocklist.',
  settings,
  arguments: [{ name: 'host', help: 'A host name or a URL.' }],
  examples: ['blocklist check images.example.org'],
  run: ({ config, args }) =>
    withBlocklist(config, async (blocklist) => {
      const host = parseHost(args.host)
      const entry = blocklist.entryFor(host)
      const blocked = entry !== undefined
      const reason = entry === host ? 'it is on the list' : `${entry} is on the list`
      const text = blocked
        ? styleText('red', `${host} is blocked: ${reason}.`)
        : styleText('green', `${host} is not blocked.`)
      return withProblem(blocklist, text, { host, blocked, ...(blocked && { entry }) })
    }),
})

/** The service uses the last good list while there is a problem, so the lists in use are shown with it. */
function withProblem(blocklist: Blocklist, text: string, value: object): CommandResult {
  const problem = blocklist.problem()
  if (problem) return { text: `${text}\n${formatSentence(problem)}`, value: { ...value, problem }, ok: false }
  return { text: blocklist.info() ? text : `${text} There is no blocklist.`, value }
}

function parseHost(text: string): string {
  const host = URL.parse(text)?.hostname || domainToASCII(text)
  if (!host) throw new UsageError(`"${text}" is not a host name such as images.example.org.`)
  return host
}

export const blocklistStatus = defineCommand({
  name: 'blocklist status',
  summary:
    'Shows the blocklists in use: the one set by "blocklist update" or BLOCKLIST_URL, and CONTENT_DIR/blocklist.txt.',
  settings,
  examples: ['blocklist status'],
  run: ({ config }) =>
    withBlocklist(config, async (blocklist) => {
      const lists = blocklist.infos()
      const value = { list: lists[0] ?? null, lists }
      if (lists.length === 0) return withProblem(blocklist, 'Images are fetched from all public hosts.', value)
      const texts = lists.map(async (list) => {
        const { entries, size, sha256, modifiedAt } = list
        const origin = await readListOrigin(list, config)
        return formatFields({ ...origin, entries, bytes: size, sha256, changed: formatTime(modifiedAt) })
      })
      return withProblem(blocklist, (await Promise.all(texts)).join('\n\n'), value)
    }),
})

/** The operator also sees the file and its full source. The public API shows only a name or a host. */
async function readListOrigin({ source, sha256 }: BlocklistInfo, { DATA_DIR, CONTENT_DIR }: Config) {
  const { contentListFile, fetchedListFile, readOrigin } = await import('../../features/blocklist/index.ts')
  if (source === 'content') return { list: contentListFile(CONTENT_DIR) }
  const list = fetchedListFile(DATA_DIR)
  return { list, from: (await readOrigin(list, sha256))?.requested ?? source }
}

export const blocklistUpdate = defineCommand({
  name: 'blocklist update',
  summary:
    'Replaces the blocklist in DATA_DIR/cache. A running service reloads it. If BLOCKLIST_URL is set, the next download ' +
    'replaces the list again. CONTENT_DIR/blocklist.txt stays as it is.',
  settings,
  arguments: [
    { name: 'source', completes: 'files', help: 'URL or file of a list in domain, hosts, Adblock or dnsmasq format.' },
  ],
  options: { force: { help: 'Accepts a list that is empty or less than half as long as the current one.' } },
  examples: ['blocklist update https://lists.example.org/domains.txt', 'blocklist update ./my-list.txt --force'],
  run: async ({ config, args, options: { force }, note }) => {
    const { fetchedListFile, isUrl, UpdateError, updateBlocklist } = await import('../../features/blocklist/index.ts')
    const isDownload = isUrl(args.source)
    const source = isDownload ? args.source : resolve(args.source)
    try {
      // Reading a file is fast, but downloading a large list may take a minute.
      const onProgress = (stage: string) => isDownload && note(`${stage} the list`)
      const target = fetchedListFile(config.DATA_DIR)
      const updated = await updateBlocklist({ target, source, force, onProgress, log: silentLog })
      const { changed, sha256 } = updated
      const entries = formatCount(updated.entries, 'entry', 'entries')
      const done = changed ? `Updated the list: ${entries}.` : `The list has not changed: ${entries}.`
      return { text: `${styleText('green', done)}\nsha256 ${sha256}`, value: updated }
    } catch (error) {
      if (!(error instanceof UpdateError)) throw error
      throw new OperatorError(
        `The list was rejected: ${error.message}.${error.canBeForced ? ' Use --force to accept it.' : ''}`,
      )
    }
  },
})
