import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { succeeds } from '../../../src/platform/concurrency/index.ts'
import { openDownloadCounter, openStore } from '../../../src/platform/store/index.ts'
import { createTestLog } from '../../kit/log.ts'
import { PATIENT } from '../../kit/store.ts'
import { until } from '../../kit/until.ts'

/** Opens `menagerie.sqlite` in this folder. */
export async function openSqlite(t: TestContext, dataDir: string, options: { replyTimeoutMs?: number } = {}) {
  const log = createTestLog()
  const store = await openStore('', { dataDir, log, ...options })
  t.after(() => store.close())
  const becomesReady = () => until(async () => (await store.health()).ok)
  const startCounter = async () => {
    const counter = await openDownloadCounter(store.downloads, {
      folder: join(dataDir, 'counts'),
      log,
      flushIntervalMs: 20,
    })
    t.after(() => counter.close())
    return counter
  }
  return { store, log, file: join(dataDir, 'menagerie.sqlite'), becomesReady, startCounter }
}

/** Waits until the thread of the store has started. */
export async function openReadySqlite(t: TestContext, dataDir: string) {
  const opened = await openSqlite(t, dataDir, PATIENT)
  await until(() => succeeds(opened.store.markers.get('ready')))
  return opened
}
