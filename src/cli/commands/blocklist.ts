import { resolve } from 'node:path'
import { domainToASCII } from 'node:url'
import { UsageError } from '../../errors/index.ts'
import { type CommandResult, defineCommand } from '../command.ts'
import type { ContentService } from '../local-service.ts'
import { formatCount, formatSentence, paint } from '../text.ts'

const settings = ['DATA_DIR', 'CONTENT_DIR'] as const

export const blocklistCheck = defineCommand({
  name: 'blocklist check',
  summary: 'Checks whether a host is on the blocklist.',
  settings,
  arguments: [{ name: 'host', help: 'A host name or a URL.' }],
  examples: ['blocklist check images.example.org'],
  run: async ({ service, args }) => {
    const host = parseHost(args.host)
    const entry = await service.findBlockingEntry(host)
    const blocked = entry !== undefined
    const reason = entry === host ? 'it is on the list' : `${entry} is on the list`
    const text = blocked ? paint('red', `${host} is blocked: ${reason}.`) : paint('green', `${host} is not blocked.`)
    return withProblem(await service.readBlocklists(), text, { host, blocked, ...(blocked && { entry }) })
  },
})

type BlocklistState = Awaited<ReturnType<ContentService['readBlocklists']>>

/** The service uses the last good list while there is a problem, so the lists in use are shown with it. */
function withProblem({ lists, problem }: BlocklistState, text: string, value: object): CommandResult {
  if (problem) return { text: `${text}\n${formatSentence(problem)}`, value: { ...value, problem }, ok: false }
  return { text: lists.length > 0 ? text : `${text} There is no blocklist.`, value }
}

function parseHost(text: string): string {
  const host = URL.parse(text)?.hostname || domainToASCII(text)
  if (!host) throw new UsageError(`"${text}" is not a host name such as images.example.org.`)
  return host
}

export const blocklistStatus = defineCommand({
  name: 'blocklist status',
  summary:
    'Shows the blocklists in use. They are the downloaded list (from BLOCKLIST_URL or "blocklist update") and ' +
    'CONTENT_DIR/blocklist.txt.',
  settings,
  examples: ['blocklist status'],
  run: async ({ service, format }) => {
    const state = await service.readBlocklists()
    const { lists, origins } = state
    const value = { list: lists[0] ?? null, lists }
    if (lists.length === 0) return withProblem(state, 'Images are fetched from all public hosts.', value)
    const texts = lists.map(({ entries, size, sha256, modifiedAt }, index) =>
      format.fields({ ...origins[index]!, entries, bytes: size, sha256, changed: format.exactTime(modifiedAt) }),
    )
    return withProblem(state, texts.join('\n\n'), value)
  },
})

export const blocklistUpdate = defineCommand({
  name: 'blocklist update',
  summary:
    'Replaces the downloaded blocklist. The list is in DATA_DIR/cache. A running service reloads it. If BLOCKLIST_URL is ' +
    'set, the next download replaces the list again. CONTENT_DIR/blocklist.txt stays as it is.',
  settings,
  arguments: [
    { name: 'source', completes: 'files', help: 'URL or file of a list in domain, hosts, Adblock or dnsmasq format.' },
  ],
  options: { force: { help: 'Allows a list that is empty or has less than half of the current entries.' } },
  examples: ['blocklist update https://lists.example.org/domains.txt', 'blocklist update ./my-list.txt --force'],
  run: async ({ service, args, options: { force }, note }) => {
    const isDownload = /^https?:\/\//i.test(args.source)
    const source = isDownload ? args.source : resolve(args.source)
    // Reading a file is fast, but downloading a large list may take a minute.
    const onProgress = (stage: string) => isDownload && note(`${stage} the list`)
    const updated = await service.updateBlocklist(source, { force, onProgress })
    const { changed, sha256 } = updated
    const entries = formatCount(updated.entries, 'entry', 'entries')
    const done = changed ? `Updated the list: ${entries}.` : `The list has not changed: ${entries}.`
    return { text: `${paint('green', done)}\nsha256 ${sha256}`, value: updated }
  },
})
