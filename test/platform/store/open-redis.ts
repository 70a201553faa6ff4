import type { TestContext } from 'node:test'
import { type Clock, openDownloadCounter, openStore, type Store } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { until } from '../../kit/until.ts'

export async function openRedis(t: TestContext, url: string, clock: Clock = Date.now) {
  const log = createTestLog()
  const store = await openStore(url, { dataDir: '', log, clock })
  const counter = await openDownloadCounter(store.downloads, {
    folder: await temporaryFolder(t),
    log,
    flushIntervalMs: 50,
  })
  t.after(() => counter.close())
  t.after(() => store.close())
  return { store, log, counter }
}

export async function openAvailableRedis(t: TestContext, url: string, clock?: Clock) {
  const opened = await openRedis(t, url, clock)
  await untilAvailable(opened.store)
  return opened
}

export const untilAvailable = (store: Store) => until(async () => (await store.health()).ok)
export const untilUnavailable = (store: Store, reason: RegExp) =>
  until(async () => reason.test((await store.health()).message))
