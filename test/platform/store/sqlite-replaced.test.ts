// Somebody takes the database away, or puts another one in its place, while the service runs.
import assert from 'node:assert/strict'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Bans, createTokens } from '../../../src/features/access/index.ts'
import { inspectSqlite, openStore, type Store } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { rememberingLog } from '../../kit/log.ts'
import { until, untilEqual } from '../../kit/until.ts'
import { token } from './contract.ts'

async function open(t: TestContext) {
  const folder = await temporaryFolder(t)
  const log = rememberingLog()
  const store = openStore('', { dataDir: folder, log })
  t.after(() => store.close())
  await until(async () => (await store.health()).ok)
  return { store, log, file: join(folder, 'menagerie.sqlite') }
}

const idsIn = (store: Store) => () =>
  store.tokens.list().then(
    (tokens) => tokens.map(({ id }) => id),
    () => undefined,
  )
const wasTold = ({ lines }: ReturnType<typeof rememberingLog>) =>
  lines.some(({ fields }) => JSON.stringify(fields).includes('was removed or replaced while it was in use'))

test('a database that was removed is missed, and what is written then is on the disk', async (t) => {
  const { store, log, file } = await open(t)
  await store.tokens.put([token('before')])
  for (const suffix of ['', '-wal', '-shm']) await rm(file + suffix, { force: true })
  await untilEqual<string[] | undefined>(idsIn(store), [])
  assert.ok(wasTold(log))
  await store.tokens.put([token('after')])
  await store.close()
  assert.equal(inspectSqlite(file)?.schema, 1)
  const again = openStore(`sqlite:${file}`, { dataDir: '', log: rememberingLog() })
  t.after(() => again.close())
  await untilEqual<string[] | undefined>(idsIn(again), ['after'])
})

test('a database in the place of another is used as it is, without the pages of the one before', async (t) => {
  const [{ store, log, file }, backup] = [await open(t), await open(t)]
  const [running, restored] = [createTokens(store.tokens), createTokens(backup.store.tokens)]
  const [old, good] = [await running.create('old', ['read'], null), await restored.create('good', ['read'], null)]
  const bans = new Bans(store.bans, store.strikes, { exempt: [], log: rememberingLog() })
  t.after(() => bans.close())
  const at = Date.now()
  const ban = (address: string) => ({ address, reason: '', by: 'guard', at, until: at + 3_600_000 })
  await Promise.all([store.bans.put([ban('192.0.2.1')]), backup.store.bans.put([ban('192.0.2.2')])])
  await until(() => bans.find('192.0.2.1') !== undefined)
  assert.ok(await running.verify(old.text))
  await backup.store.close()
  await rename(backup.file, file)
  await untilEqual<string[] | undefined>(idsIn(store), [good.token.id])
  assert.ok(wasTold(log))
  await until(() => bans.find('192.0.2.2') !== undefined && bans.find('192.0.2.1') === undefined)
  await until(async () => (await running.verify(good.text)) !== undefined)
  assert.equal(await running.verify(old.text), undefined, 'the revisions of both files are the same number')
})
