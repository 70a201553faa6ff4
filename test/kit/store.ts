import { openStore, type Store } from '../../src/platform/store/index.ts'
import { temporaryFolder } from './folder.ts'
import { createTestLog } from './log.ts'
import type { Scope } from './scope.ts'
import { until } from './until.ts'

/** Opens a SQLite store in a temporary folder. */
export async function temporaryStore(t: Scope): Promise<Store> {
  const store = await openStore('', { dataDir: await temporaryFolder(t), log: createTestLog() })
  t.after(() => store.close())
  await until(async () => (await store.health()).ok)
  return store
}
