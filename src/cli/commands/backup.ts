import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { OperatorError } from '../../errors/index.ts'
import type { Backup } from '../../features/backup/index.ts'
import { lockPublishing, writeAtomically } from '../../platform/files/index.ts'
import { defineCommand } from '../command.ts'
import { formatCount, paint } from '../text.ts'
import { silentLog, withStore } from '../with-services.ts'

const settings = ['BACKUP_DIR', 'BACKUP_KEEP', 'CONTENT_DIR', 'DATA_DIR', 'STORE_URL'] as const
/** With Redis, the restored files become the content of all nodes. */
const syncSettings = ['CONTENT_SYNC', 'CONTENT_SYNC_BYTES', 'CONTENT_SYNC_FILE_BYTES'] as const

const load = () => import('../../features/backup/index.ts')

async function describe({ name, files }: Backup) {
  const { readTime } = await load()
  const madeAt = new Date(readTime(name)).toISOString()
  return { name, madeAt, files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
}

export const backupNow = defineCommand({
  name: 'backup now',
  actsOn: 'files',
  summary: 'Backs up the store and CONTENT_DIR. Verifies the backup. Works while the service runs.',
  settings,
  examples: ['backup now', 'backup now --backup-dir /mnt/backups'],
  run: async ({ config }) => {
    const { createBackup, readBackupOptions } = await load()
    const backup = await withStore(config, async (store) => {
      const options = readBackupOptions(config, store, silentLog)
      return createBackup({ ...options, storeBytes: await options.readStoreBytes() }).catch((error) => {
        throw new OperatorError(`No backup was made: ${error.message}.`)
      })
    })
    const files = formatCount(backup.files.length, 'file')
    return {
      text:
        paint('green', `Made and verified ${backup.name}: ${files}.`) +
        (backup.problem ? ` But ${backup.problem}.` : ''),
      value: { backup: await describe(backup) },
    }
  },
})

export const backupList = defineCommand({
  name: 'backup list',
  actsOn: 'files',
  summary: 'Lists the complete backups, oldest first.',
  settings: ['BACKUP_DIR', 'DATA_DIR'],
  examples: ['backup list'],
  run: async ({ config, format }) => {
    const { listBackups, readBackupDir } = await load()
    const { formatBytes } = await import('../../features/releases/index.ts')
    const backups = await Promise.all((await listBackups(readBackupDir(config))).map(describe))
    const rows = backups.map(({ name, madeAt, files, bytes }) => ({
      name,
      made: format.time(madeAt),
      files,
      size: formatBytes(bytes),
    }))
    return { text: format.table(rows, 'There are no backups.'), value: { backups } }
  },
})

async function findBackup(config: Config, name: string) {
  const { listBackups, readBackupDir } = await load()
  const dir = readBackupDir(config)
  const found = (await listBackups(dir)).find((backup) => backup.name === name)
  if (!found) throw new OperatorError(`There is no complete backup "${name}" in ${dir}. See "backup list".`)
  return { dir, backup: found }
}

async function findBackupFaults(dir: string, { name, files }: Backup): Promise<string[]> {
  const { findFaults, STORE_FILE } = await load()
  const { checkIntegrity } = await import('../../platform/store/index.ts')
  const faults = await findFaults(join(dir, name), files)
  if (faults.length > 0) return faults
  const fault = await checkIntegrity(join(dir, name, STORE_FILE))
  return fault ? [`${STORE_FILE} is damaged: ${fault}`] : []
}

export const backupCheck = defineCommand({
  name: 'backup check',
  actsOn: 'files',
  summary: 'Compares all backups with their checksums. Exit code 1 if one is damaged.',
  settings: ['BACKUP_DIR', 'DATA_DIR'],
  examples: ['backup check'],
  run: async ({ config, format }) => {
    const { listBackupNames, listBackups, readBackupDir } = await load()
    const dir = readBackupDir(config)
    const backups = new Map((await listBackups(dir)).map((backup) => [backup.name, backup]))
    const results: { name: string; faults: string[] }[] = []
    for (const name of await listBackupNames(dir)) {
      const backup = backups.get(name)
      const faults = backup ? await findBackupFaults(dir, backup) : ['manifest.json is missing or damaged']
      results.push({ name, faults })
    }
    const rows = results.map(({ name, faults }) => ({ name, result: faults[0] ?? 'good' }))
    const ok = results.every(({ faults }) => faults.length === 0)
    return { ok, text: format.table(rows, 'There are no backups.'), value: { backups: results } }
  },
})

export const backupRestore = defineCommand({
  name: 'backup restore',
  actsOn: 'files',
  summary:
    'Restores the store and CONTENT_DIR from a backup. Stop the service first. Keeps the replaced data in DATA_DIR.',
  settings: [...settings, ...syncSettings],
  arguments: [{ name: 'name', help: 'A name from "backup list".' }],
  examples: ['backup restore 2026-12-01T03-00-00Z'],
  run: async ({ config, args }) => {
    const { keepContent, lockBackups, nameBackup, restoreContent, restoringFile, STORE_FILE } = await load()
    const { dir, backup } = await findBackup(config, args.name)
    const { lockDataDir } = await import('../../app/data-dir.ts')
    await mkdir(config.DATA_DIR, { recursive: true, mode: 0o700 })
    // Held to the end: no service may start meanwhile.
    using opened = new DisposableStack()
    opened.defer((await lockDataDir(config.DATA_DIR)).close)
    const refuse = ({ message }: Error) => Promise.reject(new OperatorError(`Not restored: ${message}.`))
    opened.use(await lockBackups(dir).catch(refuse))
    const [fault] = await findBackupFaults(dir, backup)
    if (fault) throw new OperatorError(`Not restored: ${fault}.`)
    const { inspectSqlite } = await import('../../platform/store/index.ts')
    const storeFile = join(dir, backup.name, STORE_FILE)
    const store = inspectSqlite(storeFile)
    if (store && store.schema > store.newest)
      throw new OperatorError(
        'Not restored: a newer version of the service made this backup. Restore it with that one.',
      )
    await assertNoNodes(config)
    // What somebody published meanwhile would be lost.
    using publishing = new DisposableStack()
    for (const folder of [config.CONTENT_DIR, join(config.CONTENT_DIR, 'app')]) {
      const lock = await lockPublishing(folder)
      if (!lock) throw new OperatorError('Not restored: another process is publishing. Wait for it.')
      publishing.use(lock)
    }
    const kept = join(config.DATA_DIR, `replaced-${nameBackup(Date.now())}`)
    // First: if the disk has no space for it, nothing has been replaced.
    const { CONTENT_DIR: contentDir, DATA_DIR: dataDir } = config
    await keepContent(contentDir, [dir, dataDir], kept).catch(async ({ message }) => {
      await rm(kept, { recursive: true, force: true })
      throw new OperatorError(`Not restored: what the backup replaces cannot be copied to DATA_DIR: ${message}.`)
    })
    const restoring = restoringFile(config.DATA_DIR)
    // An earlier restore is still reported if this one fails before it reaches the content.
    const wasInterrupted = existsSync(restoring)
    await writeAtomically(restoring, backup.name)
    await restoreStore(config, storeFile, join(kept, STORE_FILE)).catch(async (error) => {
      if (!wasInterrupted) await rm(restoring)
      throw error
    })
    await restoreContent(backup, { dir, contentDir, dataDir }).catch((error) => {
      throw new OperatorError(
        `The store was restored, but the content only in part: ${error.message}. Repeat the command. What it replaced ` +
          `is in ${kept}.`,
      )
    })
    // Otherwise the service would take a smaller state for a loss, and serve the replaced one.
    for (const part of ['app', 'blocklist', 'lists', 'pictures'])
      await rm(join(config.DATA_DIR, 'last-good', part), { recursive: true, force: true })
    publishing.dispose()
    await publishRestored(config).catch(async (error) => {
      const { describeStoreError } = await import('../../platform/store/index.ts')
      const reason = describeStoreError(error) ?? error.message.replace(/\.$/, '')
      throw new OperatorError(`Restored, but not for the other nodes: ${reason}. Repeat the command.`)
    })
    await rm(restoring)
    const text = `Restored ${backup.name}. What it replaced is in ${kept}.`
    // A leaked token that was revoked must not be valid again without anybody noticing.
    const note = 'Tokens and client keys that were revoked since then work again, and lifted bans are back: check them.'
    return { text: `${paint('green', text)}\n${note}`, value: { name: backup.name, kept } }
  },
})

/** A node that runs would publish its own content again, in place of the restored one. */
async function assertNoNodes({ STORE_URL }: Config): Promise<void> {
  const { openSharedContent } = await import('../../platform/store/index.ts')
  const shared = await openSharedContent(STORE_URL, 0)
  // If Redis is unavailable, the next step reports it.
  const nodes = (await shared?.position().catch(() => undefined))?.nodes ?? 0
  await shared?.close()
  if (nodes === 0) return
  const running = `${formatCount(nodes, 'node')} of this Redis ${nodes === 1 ? 'runs' : 'run'}`
  throw new OperatorError(
    `Not restored: ${running}. Stop all nodes first. A node that was killed counts for 10 seconds.`,
  )
}

/** Publishes the restored files to all nodes. Without it, this node would treat them as edits, and restore removed files. */
async function publishRestored(config: Config): Promise<void> {
  const { openNodeSync, readSyncOptions } = await import('../../features/publishing/index.ts')
  const { CONTENT_DIR: contentDir, DATA_DIR: dataDir } = config
  const options = readSyncOptions(config)
  // A node that was never synchronised works as without Redis.
  if (!options || options.isShared || !existsSync(join(dataDir, 'sync'))) return
  const sync = await openNodeSync({ ...options, contentDir, dataDir })
  await sync?.begin().finally(() => sync.close())
}

/** The store holds contacts, token hashes and banned addresses. */
const OWNER_ONLY = 0o600

async function restoreStore(config: Config, from: string, kept: string): Promise<void> {
  const { copyStore, forgetConfirmed, isDatabaseInUse, lastStoreFile, sqliteFile, writeStoreCopy } = await import(
    '../../platform/store/index.ts'
  )
  const { copyTo } = await load()
  const { STORE_URL, DATA_DIR: dataDir } = config
  const file = sqliteFile(STORE_URL, dataDir)
  await rm(lastStoreFile(dataDir), { force: true })
  if (file !== undefined) {
    if (isDatabaseInUse(file)) throw new OperatorError(`Not restored: another process uses ${file}. Stop it first.`)
    await copyTo(from, `${file}.restored`, OWNER_ONLY, file)
    const present = ['', '-wal', '-shm'].filter((suffix) => existsSync(file + suffix))
    for (const suffix of present) await copyTo(file + suffix, kept + suffix, OWNER_ONLY)
    // The journal (-wal, -shm) belongs to the replaced database. The database itself is replaced in one step: if this
    // command is interrupted, the service must not start with an empty store.
    for (const suffix of present) if (suffix !== '') await rm(file + suffix)
    await rename(`${file}.restored`, file)
    // Only a report depends on it.
    await forgetConfirmed(join(dataDir, 'counts')).catch(() => {})
    return
  }
  await withStore(config, async (current) => {
    await mkdir(dirname(kept), { recursive: true })
    await writeStoreCopy(STORE_URL, { dataDir, log: silentLog }, current, kept)
    // Opening a database may migrate it, so a copy is opened.
    await copyTo(from, `${kept}.restored`, OWNER_ONLY)
    await withStore({ DATA_DIR: dataDir, STORE_URL: `sqlite:${kept}.restored` }, (backup) =>
      copyStore(backup, current, { force: true }),
    )
  })
}
