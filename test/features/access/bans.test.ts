import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type BanOptions, Bans } from '../../../src/features/access/index.ts'
import { openStore } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { until } from '../../kit/until.ts'

const log = { info() {}, warn() {}, error() {} }
const ATTACKER = '203.0.113.9'
const HOUR = 3_600_000

async function open(t: TestContext, given: Partial<BanOptions> = {}) {
  const dataDir = await temporaryFolder(t)
  let now = Date.now()
  const clock = () => now
  const url = `sqlite:${join(dataDir, 'state.sqlite')}`
  const node = () => {
    const store = openStore(url, { dataDir, log, clock })
    const bans = new Bans(store.bans, store.strikes, { exempt: ['127.0.0.0/8'], ...given, log, clock })
    t.after(async () => {
      bans.close()
      await store.close()
    })
    return { bans, store }
  }
  return { ...node(), node, pass: (ms: number) => (now += ms) }
}

test('an attack is banned at once, for a day', async (t) => {
  const { bans, pass } = await open(t)
  assert.equal(bans.of(ATTACKER), undefined)
  await bans.attack(ATTACKER, 'traversal')
  assert.match(bans.of(ATTACKER)?.reason ?? '', /traversal/)
  assert.equal(bans.of('203.0.113.10'), undefined)
  pass(25 * HOUR)
  assert.equal(bans.of(ATTACKER), undefined)
})

test('wrong tokens ban after a few, and are forgotten after a while', async (t) => {
  const { bans, pass } = await open(t)
  for (let i = 0; i < 4; i++) assert.equal(await bans.wrongToken(ATTACKER), undefined)
  pass(16 * 60_000)
  for (let i = 0; i < 4; i++) assert.equal(await bans.wrongToken(ATTACKER), undefined)
  assert.ok(await bans.wrongToken(ATTACKER))
  assert.ok(bans.of(ATTACKER))
})

test('how many wrong tokens are too many is for the operator to say', async (t) => {
  const { bans, pass } = await open(t, { wrongTokens: { requests: 2, seconds: 60 } })
  assert.equal(await bans.wrongToken(ATTACKER), undefined)
  pass(61_000)
  assert.equal(await bans.wrongToken(ATTACKER), undefined)
  assert.ok(await bans.wrongToken(ATTACKER))
  const never = await open(t, { wrongTokens: 'off' })
  for (let i = 0; i < 20; i++) assert.equal(await never.bans.wrongToken(ATTACKER), undefined)
})

test('who comes back is banned twice as long, up to a month', async (t) => {
  const { bans, pass } = await open(t)
  const lengths: number[] = []
  for (let i = 0; i < 7; i++) {
    const ban = await bans.attack(ATTACKER, 'scanner')
    lengths.push(((ban?.until ?? 0) - (ban?.at ?? 0)) / HOUR)
    pass((ban?.until ?? 0) - (ban?.at ?? 0) + 1)
  }
  assert.deepEqual(lengths, [24, 48, 96, 192, 384, 720, 720])
})

test('an IPv6 attacker is banned with its /64', async (t) => {
  const { bans } = await open(t)
  await bans.attack('2001:db8:1:2::1', 'scanner')
  assert.ok(bans.of('2001:db8:1:2:ffff::9'))
  assert.equal(bans.of('2001:db8:1:3::1'), undefined)
})

test('a ban may last any part of an hour', async (t) => {
  const { bans } = await open(t)
  const ban = await bans.add(ATTACKER, { reason: 'by hand', by: 'operator', ms: 1.2345678 * HOUR })
  assert.equal((ban?.until ?? 0) - (ban?.at ?? 0), 4_444_444)
  assert.deepEqual(await bans.list(), [ban])
})

test('a banned /64 is lifted in any spelling of it', async (t) => {
  const { bans } = await open(t)
  await bans.attack('2001:db8:1:2::1', 'scanner')
  assert.equal(await bans.lift('2001:DB8:1:2:0:0:0:0/64'), true)
  assert.equal(bans.of('2001:db8:1:2::1'), undefined)
})

test('an exempt address is never banned', async (t) => {
  const { bans } = await open(t)
  assert.equal(await bans.attack('127.0.0.1', 'scanner'), undefined)
  for (let i = 0; i < 20; i++) await bans.wrongToken('127.0.0.1')
  assert.equal(bans.of('127.0.0.1'), undefined)
})

test('a ban holds on another node within a second and after a restart, and so does lifting it', async (t) => {
  const { bans, node } = await open(t)
  const other = node().bans
  await bans.add(ATTACKER, { reason: 'by hand', by: 'operator', ms: HOUR })
  await until(() => other.of(ATTACKER) !== undefined, 1000)
  assert.equal(await other.lift(ATTACKER), true)
  assert.equal(other.of(ATTACKER), undefined)
  await until(() => bans.of(ATTACKER) === undefined, 1000)
  assert.equal(await bans.lift(ATTACKER), false)
})

test('lifting forgives: the next ban is a first one', async (t) => {
  const { bans } = await open(t)
  await bans.attack(ATTACKER, 'scanner')
  await bans.lift(ATTACKER)
  const again = await bans.attack(ATTACKER, 'scanner')
  assert.equal((again?.until ?? 0) - (again?.at ?? 0), 24 * HOUR)
})

test('while the store is away known bans hold, and new ones hold here', async (t) => {
  const { bans, store } = await open(t)
  await bans.attack(ATTACKER, 'scanner')
  await store.close()
  await bans.look()
  assert.ok(bans.of(ATTACKER))
  await bans.attack('203.0.113.77', 'scanner')
  assert.ok(bans.of('203.0.113.77'))
})

test('what an operator is told has failed changes nothing', async (t) => {
  const { bans, store } = await open(t)
  await bans.attack(ATTACKER, 'scanner')
  const before = bans.of(ATTACKER)
  await store.close()
  await assert.rejects(bans.lift(ATTACKER))
  assert.equal(bans.of(ATTACKER), before)
  await assert.rejects(bans.add(ATTACKER, { reason: 'by hand', by: 'operator', ms: HOUR }))
  assert.equal(bans.of(ATTACKER), before)
})

test('while the store is away so many are banned here and no more', async (t) => {
  const { store } = await open(t)
  await store.close()
  const bans = new Bans(store.bans, store.strikes, { exempt: [], log })
  t.after(() => bans.close())
  for (let i = 0; i < 11_000; i++) await bans.attack(`10.0.${i >> 8}.${i & 255}`, 'scanner')
  assert.equal(bans.count, 10_000)
})

test('a ban that was made while the store was away is saved when it is back', async (t) => {
  const { bans, store } = await open(t)
  let away = true
  const flaky = new Bans(
    {
      ...store.bans,
      put: (list) => (away ? Promise.reject(new Error('away')) : store.bans.put(list)),
      changes: (revision) => (away ? Promise.reject(new Error('away')) : store.bans.changes(revision)),
    },
    store.strikes,
    { exempt: [], log },
  )
  t.after(() => flaky.close())
  await flaky.attack(ATTACKER, 'scanner')
  assert.ok(flaky.of(ATTACKER))
  await assert.rejects(flaky.add('203.0.113.20', { reason: 'no', by: 'operator', ms: HOUR }))
  assert.equal(flaky.of('203.0.113.20'), undefined, 'an operator who was told that it failed')
  away = false
  await flaky.look()
  assert.ok(flaky.of(ATTACKER))
  await until(() => bans.of(ATTACKER) !== undefined, 2000)
})
