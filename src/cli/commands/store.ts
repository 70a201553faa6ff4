import { existsSync } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { OperatorError, UsageError } from '../../errors/index.ts'
import type { RecordCounts, Store } from '../../platform/store/index.ts'
import { defineCommand } from '../command.ts'
import { formatCount, paint } from '../text.ts'
import { toFlagNames, withStore } from '../with-services.ts'

const describeCounts = (counts: RecordCounts) => {
  const { downloadRows, downloadTotal, adoptionDays, usageDays, usageRows, writers: _, ...others } = counts
  return {
    downloads: `${downloadTotal} (${formatCount(downloadRows, 'record')})`,
    adoption: formatCount(adoptionDays, 'day'),
    usage: `${formatCount(usageDays, 'day')} (${formatCount(usageRows, 'record')})`,
    ...others,
  }
}

export const storeStatus = defineCommand({
  name: 'store status',
  actsOn: 'files',
  summary: 'Checks the store and shows how many records it has.',
  settings: ['STORE_URL', 'DATA_DIR'],
  examples: ['store status', 'store status --store-url redis://127.0.0.1:6379'],
  run: ({ config, format }) =>
    withStore(config, async (store) => {
      const { countRecords } = await import('../../platform/store/index.ts')
      const counts = await countRecords(store)
      const { ok, driver, message, latencyMs } = await store.health()
      const health = { store: driver, state: message, latency: `${latencyMs} ms` }
      const text = format.fields({ ...health, ...describeCounts(counts) })
      return { text, value: { driver, message, latencyMs, records: counts }, ok }
    }),
})

export const storeCopy = defineCommand({
  name: 'store copy',
  actsOn: 'files',
  summary: 'Copies all records from one store to another. Verifies the number of records.',
  settings: ['STORE_URL', 'DATA_DIR'],
  arguments: [
    {
      name: 'from',
      help: 'Source: sqlite:<file>, a Redis URL as in STORE_URL, or "current" for the configured store.',
    },
    { name: 'to', help: 'Target, in the same form as <from>. It must be empty.' },
  ],
  options: { force: { help: 'Deletes all records in the target first.' } },
  examples: ['store copy current redis://127.0.0.1:6379', 'store copy current sqlite:backup/menagerie.sqlite'],
  run: async ({ config, args, options: { force }, format }) => {
    const [source, target] = [configFor(config, 'from', args.from), configFor(config, 'to', args.to)]
    await assertDatabase(args.from)
    const { CopyError, copyStore, countRecords, isDatabaseInUse, lastStoreFile, sqliteFile } = await import(
      '../../platform/store/index.ts'
    )
    const fileOf = ({ STORE_URL, DATA_DIR }: typeof source) => sqliteFile(STORE_URL, DATA_DIR)
    const copy = async (from: Store) => {
      // A misspelled DATA_DIR is an empty source. Its copy would look like a backup.
      const isEmpty = Object.values(await countRecords(from)).every((number) => number === 0)
      if (isEmpty) throw new OperatorError('The source is empty. Is it the right store?')
      const file = fileOf(target)
      // A running service would keep its cached state and write its counts into the new store.
      if (file !== undefined && file !== fileOf(source) && isDatabaseInUse(file))
        throw new OperatorError(`Not copied: another process uses ${file}. Stop the service first.`)
      return withStore(target, (to) => copyStore(from, to, { force }), 'The target')
    }
    const counts = await withStore(source, copy, 'The source').catch((error) => {
      throw error instanceof CopyError ? new OperatorError(toFlagNames(`Not copied: ${error.message}.`)) : error
    })
    // The database may have fewer downloads now.
    if (fileOf(target) !== undefined && fileOf(target) === fileOf(config))
      await rm(lastStoreFile(config.DATA_DIR), { force: true })
    const text = `${paint('green', 'Copied and verified:')}\n${format.fields(describeCounts(counts))}`
    return { text, value: { records: counts } }
  },
})

export const storeAccept = defineCommand({
  name: 'store accept',
  actsOn: 'files',
  summary:
    'Confirms that STORE_URL names another store, which lacks downloads of the earlier one, or that the database is older ' +
    'than before. Until then, /readyz reports it.',
  settings: ['DATA_DIR'],
  examples: ['store accept'],
  run: async ({ config }) => {
    const { forgetConfirmed, lastStoreFile } = await import('../../platform/store/index.ts')
    const file = lastStoreFile(config.DATA_DIR)
    const accepted = existsSync(file)
    await rm(file, { force: true })
    // Only a report depends on it.
    await forgetConfirmed(join(config.DATA_DIR, 'counts')).catch(() => {})
    const text = accepted
      ? 'Confirmed. A running service applies it within a few seconds.'
      : 'There is no earlier store.'
    return { text, value: { accepted } }
  },
})

function configFor({ STORE_URL, DATA_DIR }: Config, name: string, url: string) {
  if (url === 'current') return { DATA_DIR, STORE_URL }
  // The message does not repeat the URL, because it may contain a password.
  if (!/^(sqlite:|rediss?(-sentinel|-cluster)?:\/\/)./.test(url))
    throw new UsageError(`<${name}> must be sqlite:<file>, a Redis URL as in STORE_URL, or "current".`)
  return { DATA_DIR, STORE_URL: url }
}

const SQLITE_HEADER = 'SQLite format 3\0'

/** Opening a missing file would create it. Opening a file that is not a database would copy it as a damaged one. */
async function assertDatabase(url: string): Promise<void> {
  const file = /^sqlite:(.+)$/.exec(url)?.[1]
  if (file === undefined) return
  const found = await stat(file).catch(() => undefined)
  if (!found) throw new OperatorError(`The source ${file} does not exist.`)
  if (!found.isFile() || (found.size > 0 && (await readHeader(file)) !== SQLITE_HEADER))
    throw new OperatorError(`The source ${file} is not an SQLite database.`)
}

async function readHeader(file: string): Promise<string> {
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(SQLITE_HEADER.length))
  return buffer.toString('latin1', 0, bytesRead)
}
