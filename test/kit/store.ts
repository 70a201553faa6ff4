import { openStore, type Store } from '../../src/platform/store/index.ts'
import { temporaryFolder } from './folder.ts'
import { createTestLog } from './log.ts'
import type { Scope } from './scope.ts'
import { until } from './until.ts'

/** For stores of tests that do not test this limit: much longer than a machine stops. */
export const PATIENT = { replyTimeoutMs: 20_000 }

/** Opens a SQLite store in a temporary folder. */
export async function temporaryStore(t: Scope): Promise<Store> {
  const store = await openStore('', { dataDir: await temporaryFolder(t), log: createTestLog(), ...PATIENT })
  t.after(() => store.close())
  await until(async () => (await store.health()).ok)
  return store
}
