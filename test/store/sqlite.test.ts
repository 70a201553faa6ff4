import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Clock, openStore } from '../../src/store/index.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { rememberingLog } from '../kit/log.ts'
import { NOW, storeContract } from './contract.ts'
import { bansContract, provesCopy } from './contract-bans.ts'

const folders = new WeakMap<TestContext, string>()

async function open(t: TestContext, clock: Clock) {
  const dataDir = folders.get(t) ?? (await temporaryFolder(t))
  folders.set(t, dataDir)
  const store = openStore('', { dataDir, log: rememberingLog(), clock })
  t.after(() => store.close())
  return store
}

storeContract('SQLite', { skip: false }, open)
bansContract('SQLite', { skip: false }, open)

test('SQLite: everything is copied to another file', async (t) => {
  const from = await open(t, () => NOW)
  const dataDir = await temporaryFolder(t)
  const to = openStore(`sqlite:${join(dataDir, 'copy', 'x.db')}`, { dataDir, log: rememberingLog(), clock: () => NOW })
  t.after(() => to.close())
  await provesCopy(from, to)
})
