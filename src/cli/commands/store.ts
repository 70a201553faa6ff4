import { open, stat } from 'node:fs/promises'
import { styleText } from 'node:util'
import type { Config } from '../../config/config.ts'
import type { RecordCounts, Store } from '../../platform/store/index.ts'
import { CommandError, defineCommand, UsageError } from '../command.ts'
import { asTyped, withStore } from '../open.ts'
import { count, facts } from '../text.ts'

const held = ({ downloads, counted, clients, tokens, bans, strikes }: RecordCounts) => ({
  downloads: `${counted} counted, in ${count(downloads, 'row')}`,
  ...{ clients, tokens, bans, strikes },
})

export const storeStatus = defineCommand({
  name: 'store status',
  summary: 'Tells whether the store works, and what it holds.',
  settings: ['STORE_URL', 'DATA_DIR'],
  examples: ['store status', 'store status --store-url redis://127.0.0.1:6379'],
  run: ({ config }) =>
    withStore(config, async (store) => {
      const { countRecords } = await import('../../platform/store/index.ts')
      const holdings = await countRecords(store)
      const { ok, driver, message, latencyMs } = await store.health()
      const text = facts({ store: driver, state: message, answer: `${latencyMs} ms`, ...held(holdings) })
      return { text, value: { driver, message, latencyMs, holdings }, ok }
    }),
})

export const storeCopy = defineCommand({
  name: 'store copy',
  summary: 'Copies everything from one store to another, and counts it again there.',
  settings: ['STORE_URL', 'DATA_DIR'],
  arguments: [
    {
      name: 'from',
      help: 'sqlite:<file> or a URL of Redis as STORE_URL has it; "current" is the one of the settings.',
    },
    { name: 'to', help: 'The same; it must be empty.' },
  ],
  options: { force: { type: 'boolean', help: 'Empties the target first.' } },
  examples: ['store copy current redis://127.0.0.1:6379', 'store copy current sqlite:backup/menagerie.sqlite'],
  run: async ({ config, args, options: { force } }) => {
    const [source, target] = [configFor(config, 'from', args.from), configFor(config, 'to', args.to)]
    await demandDatabase(args.from)
    const { CopyError, copyStore, countRecords, isDatabaseInUse, sqliteFile } = await import(
      '../../platform/store/index.ts'
    )
    const fileOf = ({ STORE_URL, DATA_DIR }: typeof source) => sqliteFile(STORE_URL, DATA_DIR)
    const copy = async (from: Store) => {
      // A mistyped DATA_DIR, too, is a source without anything; a backup of it would be taken for one.
      const isEmpty = Object.values(await countRecords(from)).every((number) => number === 0)
      if (isEmpty) throw new CommandError('The source holds nothing; is it the right one?')
      const file = fileOf(target)
      // A service would go on with what it knows of the old state, and count into the new one meanwhile.
      if (file !== undefined && file !== fileOf(source) && isDatabaseInUse(file))
        throw new CommandError(`Not copied: another process has ${file} open; stop the service first.`)
      return withStore(target, (to) => copyStore(from, to, { force }), 'The target')
    }
    const holdings = await withStore(source, copy, 'The source').catch((error) => {
      throw error instanceof CopyError ? new CommandError(asTyped(`Not copied: ${error.message}.`)) : error
    })
    return {
      text: `${styleText('green', 'Copied, and found the same in the target:')}\n${facts(held(holdings))}`,
      value: { holdings },
    }
  },
})

function configFor({ STORE_URL, DATA_DIR }: Config, name: string, url: string) {
  if (url === 'current') return { DATA_DIR, STORE_URL }
  // It is not repeated: it may hold a password.
  if (!/^(sqlite:|rediss?(-sentinel|-cluster)?:\/\/)./.test(url)) {
    throw new UsageError(`<${name}> must be sqlite:<file>, a URL of Redis as STORE_URL has it, or the word current.`)
  }
  return { DATA_DIR, STORE_URL: url }
}

const SQLITE_START = 'SQLite format 3\0'

/**
 * SQLite makes a file that is not there: a mistyped source would be a copy of nothing. A file that is no database would be
 * kept aside as a damaged one, but here it is only the wrong file.
 */
async function demandDatabase(url: string): Promise<void> {
  const file = /^sqlite:(.+)$/.exec(url)?.[1]
  if (file === undefined) return
  const found = await stat(file).catch(() => undefined)
  if (!found) throw new CommandError(`There is no file ${file} to copy from.`)
  if (!found.isFile() || (found.size > 0 && (await startOf(file)) !== SQLITE_START)) {
    throw new CommandError(`${file} is no SQLite database to copy from.`)
  }
}

async function startOf(file: string): Promise<string> {
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(SQLITE_START.length))
  return buffer.toString('latin1', 0, bytesRead)
}
