import { resolve } from 'node:path'
import { domainToASCII } from 'node:url'
import { styleText } from 'node:util'
import type { Config } from '../../config/config.ts'
import type { BlocklistInfo } from '../../features/blocklist/index.ts'
import { CommandError, defineCommand, UsageError } from '../command.ts'
import { silent, withBlocklist } from '../open.ts'
import { count, facts, moment } from '../text.ts'

type Folders = Pick<Config, 'DATA_DIR' | 'CONTENT_DIR'>

const settings = ['DATA_DIR', 'CONTENT_DIR'] as const

export const blocklistCheck = defineCommand({
  name: 'blocklist check',
  summary: 'Tells whether images from a host are refused.',
  settings,
  arguments: [{ name: 'host', help: 'A host name, or a URL with one.' }],
  examples: ['blocklist check images.example.org'],
  run: ({ config, args }) =>
    withBlocklist(config, async (blocklist) => {
      const host = hostIn(args.host)
      if (blocklist.problem()) throw new CommandError(`The answer is not known: ${blocklist.problem()}.`)
      const entry = blocklist.entryFor(host)
      const blocked = entry !== undefined
      const why = entry === host ? 'it is on the list' : `${entry} is on the list`
      const text = blocked
        ? styleText('red', `${host} is blocked: ${why}.`)
        : styleText('green', `${host} is not blocked.`)
      const hint = blocklist.info() ? '' : ' There is no blocking list.'
      return { text: text + hint, value: { host, blocked, ...(blocked && { entry }) } }
    }),
})

function hostIn(text: string): string {
  const host = URL.parse(text)?.hostname || domainToASCII(text)
  if (!host) throw new UsageError(`"${text}" is no host name; it must be one such as images.example.org.`)
  return host
}

export const blocklistStatus = defineCommand({
  name: 'blocklist status',
  summary: 'Tells which blocking list is in force.',
  settings,
  examples: ['blocklist status'],
  run: ({ config }) =>
    withBlocklist(config, async (blocklist) => {
      const problem = blocklist.problem()
      if (problem) throw new CommandError(`${problem[0]?.toUpperCase()}${problem.slice(1)}.`)
      const list = blocklist.info() ?? null
      if (!list) return { text: 'There is no blocking list: images of every public host are fetched.', value: { list } }
      const { entries, size, sha256, modifiedAt } = list
      const shown = {
        ...(await whereaboutsOf(list, config)),
        entries,
        bytes: size,
        sha256,
        changed: moment(modifiedAt),
      }
      return { text: facts(shown), value: { list } }
    }),
})

/** The world is told a name and a host; the operator, which file it is and where it was taken from. */
async function whereaboutsOf({ source, sha256 }: BlocklistInfo, { DATA_DIR, CONTENT_DIR }: Folders) {
  const { contentListFile, fetchedListFile, readOrigin } = await import('../../features/blocklist/index.ts')
  if (source === 'content') return { list: contentListFile(CONTENT_DIR) }
  const list = fetchedListFile(DATA_DIR)
  const from = source === 'file' ? (await readOrigin(list, sha256))?.requested : source
  return { list, from }
}

export const blocklistUpdate = defineCommand({
  name: 'blocklist update',
  summary: 'Puts another list in force; a running service takes it by itself.',
  settings,
  arguments: [
    { name: 'source', completes: 'files', help: 'URL or file of a list: domains, hosts, Adblock or dnsmasq lines.' },
  ],
  options: { force: { type: 'boolean', help: 'Also a list that is empty, or less than half of the one before.' } },
  examples: ['blocklist update https://lists.example.org/domains.txt', 'blocklist update ./my-list.txt --force'],
  run: async ({ config, args, options: { force }, note }) => {
    const { contentListFile, fetchedListFile, listFetcherOptions, UpdateError, updateBlocklist } = await import(
      '../../features/blocklist/index.ts'
    )
    const isUrl = /^https?:\/\//.test(args.source)
    const source = isUrl ? args.source : resolve(args.source)
    const fetcher = isUrl
      ? (await import('../../platform/net/index.ts')).createFetcher(listFetcherOptions(source))
      : undefined
    try {
      // A file is there at once; a large list of another host may take a minute.
      const onProgress = ({ stage }: { stage: string }) => isUrl && note(`${stage} the list`)
      const lists = { target: fetchedListFile(config.DATA_DIR), fallback: contentListFile(config.CONTENT_DIR) }
      const updated = await updateBlocklist({ ...lists, source, fetcher, force, onProgress, log: silent })
      const { changed, sha256 } = updated
      const entries = count(updated.entries, 'entry', 'entries')
      const done = changed ? `In force now: ${entries}.` : `It is the list of before: ${entries}.`
      return { text: `${styleText('green', done)}\nsha256 ${sha256}`, value: updated }
    } catch (error) {
      if (!(error instanceof UpdateError)) throw error
      throw new CommandError(
        `The list was not taken: ${error.message}${error.canBeForced ? '; use --force to take it anyway' : ''}.`,
      )
    } finally {
      fetcher?.close()
    }
  },
})
