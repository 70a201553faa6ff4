import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openStore } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { PATIENT } from '../../kit/store.ts'
import { HOUR_MS, NOW, type OpenStore, testStoreContract } from './contract.ts'
import { testAdoptionContract } from './contract-adoption.ts'
import { checkCopy, MAX_AUTOMATIC_RECORDS, testBansContract, testLimitsContract } from './contract-bans.ts'

const folders = new WeakMap<TestContext, Promise<string>>()

const open: OpenStore = async (t, clock) => {
  const folder = folders.get(t) ?? temporaryFolder(t)
  folders.set(t, folder)
  const options = { dataDir: await folder, log: createTestLog(), clock }
  const store = await openStore('', { ...options, maxAutomaticRecords: MAX_AUTOMATIC_RECORDS, ...PATIENT })
  t.after(() => store.close())
  return store
}

testStoreContract('SQLite', open)
testAdoptionContract('SQLite', open)
testBansContract('SQLite', open)
testLimitsContract('SQLite', open)

test('everything can be copied to another SQLite file', async (t) => {
  const from = await open(t, () => NOW)
  const dataDir = await temporaryFolder(t)
  const to = await openStore(`sqlite:${join(dataDir, 'copy', 'x.db')}`, {
    dataDir,
    log: createTestLog(),
    clock: () => NOW,
    ...PATIENT,
  })
  t.after(() => to.close())
  await checkCopy(from, to)
})

test('writers that have been silent for 90 days are deleted', async (t) => {
  const clock = { now: NOW }
  const { downloads } = await open(t, () => clock.now)
  await downloads.add({ writer: 'old', number: 1, rows: [] })
  clock.now += 91 * 24 * HOUR_MS
  await downloads.add({ writer: 'new', number: 1, rows: [] })
  assert.deepEqual(await downloads.writers(), [{ writer: 'new', number: 1 }])
})

test('several processes can open a new SQLite file at the same time', async (t) => {
  const stores = await Promise.all([1, 2, 3, 4].map(() => open(t, () => NOW)))
  await Promise.all(stores.map(({ strikes }) => strikes.add('192.0.2.1', 1, NOW + 1)))
  assert.equal((await stores[0]?.strikes.list())?.[0]?.score, 4)
})
