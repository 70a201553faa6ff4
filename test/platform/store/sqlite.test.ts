import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Clock, openStore } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { rememberingLog } from '../../kit/log.ts'
import { ban, NOW, storeContract } from './contract.ts'
import { bansContract, provesCopy } from './contract-bans.ts'
import { boundsContract } from './contract-bounds.ts'

const folders = new WeakMap<TestContext, Promise<string>>()

async function open(t: TestContext, clock: Clock) {
  const folder = folders.get(t) ?? temporaryFolder(t)
  folders.set(t, folder)
  const store = openStore('', { dataDir: await folder, log: rememberingLog(), clock })
  t.after(() => store.close())
  return store
}

storeContract('SQLite', { skip: false }, open)
bansContract('SQLite', { skip: false }, open)
boundsContract('SQLite', { skip: false }, open)

test('SQLite: everything is copied to another file', async (t) => {
  const from = await open(t, () => NOW)
  const dataDir = await temporaryFolder(t)
  const to = openStore(`sqlite:${join(dataDir, 'copy', 'x.db')}`, { dataDir, log: rememberingLog(), clock: () => NOW })
  t.after(() => to.close())
  await provesCopy(from, to)
})

test('SQLite: several processes may open a new file at once', async (t) => {
  const stores = await Promise.all([1, 2, 3, 4].map(() => open(t, () => NOW)))
  await Promise.all(stores.map(({ strikes }) => strikes.add('192.0.2.1', 1, NOW + 1)))
  assert.equal((await stores[0]?.strikes.list())?.[0]?.score, 4)
})

test('SQLite: a ban outlasts a clock that was some hours ahead when another was banned', async (t) => {
  const at = { now: NOW }
  const { bans } = await open(t, () => at.now)
  await bans.put([ban('192.0.2.1')])
  at.now += 6 * 3_600_000
  await bans.put([ban('192.0.2.2', { until: at.now + 3_600_000 })])
  assert.deepEqual(
    (await bans.list()).map(({ address }) => address),
    ['192.0.2.2'],
  )
  at.now = NOW
  assert.deepEqual(
    (await bans.list()).map(({ address }) => address),
    ['192.0.2.1', '192.0.2.2'],
  )
})
