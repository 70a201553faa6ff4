import { join } from 'node:path'
import type { TestContext } from 'node:test'
import {
  type DownloadBatch,
  type Downloads,
  openDownloadCounter,
  openStore,
} from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { countInJournals } from '../../kit/journal.ts'
import { createTestLog } from '../../kit/log.ts'
import { PATIENT } from '../../kit/store.ts'
import { until } from '../../kit/until.ts'

export type Mode = 'works' | 'refuses' | 'loses the reply' | 'hangs'

/** A real store whose `add` can fail in the ways in which a network fails. */
export async function setUpCounter(t: TestContext) {
  const dataDir = await temporaryFolder(t)
  const folder = join(dataDir, 'counts')
  const log = createTestLog()
  const store = await openStore('', { dataDir, log, ...PATIENT })
  t.after(() => store.close())
  const network: { mode: Mode; batches: DownloadBatch[] } = { mode: 'works', batches: [] }
  const downloads: Downloads = {
    ...store.downloads,
    async add(batch) {
      network.batches.push(batch)
      if (network.mode === 'hangs') await until(() => network.mode !== 'hangs')
      const applied = network.mode !== 'refuses' && (await store.downloads.add(batch))
      if (network.mode !== 'works') throw new Error(`the store ${network.mode}`)
      return applied
    },
  }
  const openTestCounter = async (
    options: { clock?: () => number; checkIntervalMs?: number; closeTimeoutMs?: number } = {},
  ) => {
    const intervals = { flushIntervalMs: 20, checkIntervalMs: 20, closeTimeoutMs: 10_000 }
    const counter = await openDownloadCounter(downloads, { folder, log, ...intervals, ...options })
    t.after(() => counter.close())
    return counter
  }
  const readTotal = async () => (await store.downloads.summary(30)).total
  const countJournaled = () => countInJournals(folder)
  /** The next processes hand in the journals of those before them. */
  const handIn = async (processes = 1) => {
    network.mode = 'works'
    const next = await Promise.all(Array.from({ length: processes }, () => openTestCounter()))
    await until(() => countJournaled() === 0)
    for (const counter of next) await counter.close()
    return readTotal()
  }
  const hasLogged = (text: RegExp, level?: string) =>
    log.lines.some((line) => text.test(line.message) && (level === undefined || line.level === level))
  return { store, network, openTestCounter, readTotal, countJournaled, handIn, hasLogged, folder, log }
}
