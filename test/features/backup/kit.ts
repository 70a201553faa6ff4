import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { listBackups } from '../../../src/features/backup/index.ts'
import { openStore, writeStoreCopy } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { PATIENT } from '../../kit/store.ts'
import { until } from '../../kit/until.ts'

/** A content folder with two files, a store, and the options of a backup of both. */
export async function prepare(t: TestContext, given?: string) {
  const folder = await temporaryFolder(t)
  const [dataDir, contentDir, log] = [join(folder, 'data'), join(folder, 'content'), createTestLog()]
  await mkdir(dataDir)
  await mkdir(contentDir)
  await writeFile(join(contentDir, 'a.txt'), 'a')
  await writeFile(join(contentDir, 'b.txt'), 'b')
  const store = await openStore('', { dataDir, log, ...PATIENT })
  t.after(() => store.close())
  await until(async () => (await store.health()).ok)
  const dir = given ?? join(folder, 'backups')
  const writeStore = (target: string) => writeStoreCopy('', { dataDir, log }, store, target)
  const lastFolderFile = join(dataDir, 'last-backup-folder')
  const countDownloads = async () => (await store.downloads.summary(1)).total
  const options = { dir, contentDir, dataDir, lastFolderFile, keep: 2, storeBytes: 0, writeStore, countDownloads }
  const names = async () => (await listBackups(dir)).map(({ name }) => name)
  return { options, names, dir, dataDir, contentDir, log, store }
}
