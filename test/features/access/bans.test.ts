import assert from 'node:assert/strict'
import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { BanIndex } from '../../../src/features/access/ban-index.ts'
import { type BanOptions, createBans } from '../../../src/features/access/index.ts'
import { createAddressMatcher, parseNetwork } from '../../../src/platform/net/index.ts'
import { openStore } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { PATIENT } from '../../kit/store.ts'
import { until } from '../../kit/until.ts'

const log = { info() {}, warn() {}, error() {} }
const ATTACKER = '203.0.113.9'
const HOUR = 3_600_000

async function open(t: TestContext, given: Partial<BanOptions> = {}) {
  const dataDir = await temporaryFolder(t)
  let now = Date.now()
  const clock = () => now
  const url = `sqlite:${join(dataDir, 'state.sqlite')}`
  const node = async () => {
    const store = await openStore(url, { dataDir, log, clock, ...PATIENT })
    const bans = createBans(store.bans, store.strikes, { exempt: ['127.0.0.0/8'], ...given, log, clock })
    t.after(async () => {
      await bans.close()
      await store.close()
    })
    return { bans, store }
  }
  return { ...(await node()), node, file: url.slice('sqlite:'.length), advance: (ms: number) => (now += ms) }
}

test('an attack causes an immediate ban of one day', async (t) => {
  const { bans, advance } = await open(t)
  assert.equal(bans.find(ATTACKER), undefined)
  await bans.recordAttack(ATTACKER, 'traversal')
  assert.match(bans.find(ATTACKER)?.reason ?? '', /traversal/)
  assert.equal(bans.find('203.0.113.10'), undefined)
  advance(25 * HOUR)
  assert.equal(bans.find(ATTACKER), undefined)
})

test('an attack of a private client behind NAT64 bans no other client', async (t) => {
  const { bans } = await open(t)
  await bans.recordAttack('64:ff9b:1::10.0.0.7', 'traversal')
  assert.ok(bans.find('64:FF9B:1:0::a00:7'))
  assert.equal(bans.find('64:ff9b:1::10.0.0.8'), undefined)
  await bans.add('64:ff9b:1::/64', { reason: 'a test', by: 'operator', ms: HOUR })
  assert.ok(bans.find('64:ff9b:1::10.0.0.8'), 'a network that an operator bans')
})

test('bans that the database lost are written again, but not those that a command lifted', async (t) => {
  const { bans, store, node, file } = await open(t)
  const command = await node()
  const listAddresses = async () => (await bans.list()).map(({ address }) => address)
  await bans.recordAttack(ATTACKER, 'traversal')
  await bans.add('192.0.2.1', { reason: 'a test', by: 'operator', ms: HOUR })
  await bans.refresh()
  bans.close()
  await command.bans.lift('192.0.2.1')
  await command.store.close()
  await truncate(`${file}-shm`)
  await bans.refresh()
  assert.deepEqual(await listAddresses(), [ATTACKER], 'the file is opened again, and nothing is lost')
  await bans.recordAttack('203.0.113.10', 'traversal')
  for (const suffix of ['-wal', '-shm']) await truncate(file + suffix)
  await until(async () => /latest changes are lost/.test((await store.health()).incident ?? ''))
  assert.deepEqual(await listAddresses(), [ATTACKER])
  await bans.refresh()
  assert.deepEqual((await listAddresses()).sort(), ['203.0.113.10', ATTACKER])
})

test('a flood of attacks and wrong tokens from many addresses leaves the store free for other work', async (t) => {
  const { bans, store } = await open(t)
  await until(async () => (await store.health()).ok)
  // More than the store lets wait.
  const addresses = Array.from({ length: 1500 }, (_, n) => `2001:db8:0:${n.toString(16)}::1`)
  const attacks = addresses.map((address) => bans.recordAttack(address, 'scanner'))
  const guesses = addresses.map((address) => bans.recordWrongToken(address))
  assert.equal(await store.markers.get('none'), undefined)
  await Promise.all([...attacks, ...guesses])
  assert.ok(addresses.every((address) => bans.find(address)))
  await bans.refresh()
  await until(async () => (await store.bans.list()).length === addresses.length)
})

test('several wrong tokens within 15 minutes cause a ban', async (t) => {
  const { bans, advance } = await open(t)
  for (let i = 0; i < 4; i++) assert.equal(await bans.recordWrongToken(ATTACKER), undefined)
  advance(16 * 60_000)
  for (let i = 0; i < 4; i++) assert.equal(await bans.recordWrongToken(ATTACKER), undefined)
  assert.ok(await bans.recordWrongToken(ATTACKER))
  assert.ok(bans.find(ATTACKER))
})

test('the operator configures how many wrong tokens cause a ban', async (t) => {
  const { bans, advance } = await open(t, { wrongTokens: { count: 2, seconds: 60 } })
  assert.equal(await bans.recordWrongToken(ATTACKER), undefined)
  advance(61_000)
  assert.equal(await bans.recordWrongToken(ATTACKER), undefined)
  assert.ok(await bans.recordWrongToken(ATTACKER))
  const never = await open(t, { wrongTokens: 'off' })
  for (let i = 0; i < 20; i++) assert.equal(await never.bans.recordWrongToken(ATTACKER), undefined)
})

test('each further ban lasts twice as long, up to 30 days', async (t) => {
  const { bans, advance } = await open(t)
  const lengths: number[] = []
  for (let i = 0; i < 7; i++) {
    const ban = await bans.recordAttack(ATTACKER, 'scanner')
    lengths.push(((ban?.until ?? 0) - (ban?.at ?? 0)) / HOUR)
    advance((ban?.until ?? 0) - (ban?.at ?? 0) + 1)
  }
  assert.deepEqual(lengths, [24, 48, 96, 192, 384, 720, 720])
})

test('requests that arrive together, also at two nodes, cause one ban, which lasts as long as a first one', async (t) => {
  const { bans, node } = await open(t)
  const { bans: other } = await node()
  // A node may not know the ban of the other yet.
  const together = (record: (on: typeof bans) => Promise<unknown>) =>
    Promise.all(Array.from({ length: 40 }, (_, i) => record(i % 2 === 0 ? bans : other)))
  await together((on) => on.recordAttack(ATTACKER, 'scanner'))
  await together((on) => on.recordWrongToken('203.0.113.10'))
  const listed = (await bans.list()).map(({ address, at, until }) => [address, (until - at) / HOUR])
  assert.deepEqual(Object.fromEntries(listed), { [ATTACKER]: 24, '203.0.113.10': 1 })
  // Less if it reads the ban of the other node first.
  assert.ok(bans.status().added.automatic <= 2)
})

test('a ban of an IPv6 address covers its /64', async (t) => {
  const { bans } = await open(t)
  await bans.recordAttack('2001:db8:1:2::1', 'scanner')
  assert.ok(bans.find('2001:db8:1:2:ffff::9'))
  assert.equal(bans.find('2001:db8:1:3::1'), undefined)
})

test('clients without a known address are not banned: one ban would hit all of them', async (t) => {
  const { bans } = await open(t)
  for (let i = 0; i < 6; i++) assert.equal(await bans.recordWrongToken(''), undefined)
  assert.equal(await bans.recordAttack('', 'scanner'), undefined)
  assert.deepEqual(await bans.list(), [])
})

test('a ban of a network covers its addresses, except for exempt ones', async (t) => {
  const { bans, node, advance } = await open(t, { exempt: ['192.0.2.9'] })
  const other = (await node()).bans
  const options = { reason: 'by hand', by: 'operator', ms: HOUR }
  for (const network of ['192.0.2.0/24', '10.0.0.0/8', '2001:db8:1::/48', '2001:db8:f000::/36']) {
    await bans.add(network, options)
  }
  const inside = ['192.0.2.0', '192.0.2.255', '::ffff:192.0.2.1', '10.200.3.4', '2001:db8:1:ff::1', '2001:db8:ffff::1']
  const outside = ['192.0.3.0', '192.0.2.9', '11.0.0.1', '2001:db8:2::1', '2001:db8:e000::1', 'unknown', '']
  await until(() => other.find('2001:db8:ffff::1') !== undefined, 1000)
  for (const each of [bans, other]) {
    for (const address of inside) assert.ok(each.find(address), address)
    for (const address of outside) assert.equal(each.find(address), undefined, address)
  }
  await bans.add('192.0.2.1', { ...options, ms: 2 * HOUR })
  assert.equal(await bans.lift('10.1.2.3/8'), true)
  assert.equal(bans.find('10.200.3.4'), undefined)
  advance(HOUR + 1)
  assert.equal(bans.find('192.0.2.2'), undefined)
  assert.ok(bans.find('192.0.2.1'), 'the longer ban of the address itself')
})

test('the bans of addresses and networks are found as a list of all of them would', () => {
  const index = new BanIndex()
  const numbers = fc.sample(fc.nat(0xffff), { numRuns: 600, seed: 7 })
  const bits = [12, 16, 22, 24, 32]
  const networks = numbers.slice(0, 300).map((n, i) => `10.${n >> 12}.${n & 255}.${(n >> 4) & 255}/${bits[i % 5]}`)
  for (const text of networks) {
    const address = parseNetwork(text)!
    index.set(address, { address, reason: '', by: '', at: 0, until: 1 })
  }
  const isListed = createAddressMatcher(networks)
  for (const n of numbers) {
    const address = `10.${n >> 12}.${n & 255}.${(n >> 3) & 255}`
    for (let i = 0; i < 2; i++) assert.equal(index.find(address) !== undefined, isListed(address), address)
  }
})

test('a ban may last a fraction of an hour', async (t) => {
  const { bans } = await open(t)
  const ban = await bans.add(ATTACKER, { reason: 'by hand', by: 'operator', ms: 1.2345678 * HOUR })
  assert.equal((ban?.until ?? 0) - (ban?.at ?? 0), 4_444_444)
  assert.deepEqual(await bans.list(), [ban])
})

test('the ban of a /64 is lifted by any spelling of the network', async (t) => {
  const { bans } = await open(t)
  await bans.recordAttack('2001:db8:1:2::1', 'scanner')
  assert.equal(await bans.lift('2001:DB8:1:2:0:0:0:0/64'), true)
  assert.equal(bans.find('2001:db8:1:2::1'), undefined)
})

test('an exempt address is never banned', async (t) => {
  const { bans } = await open(t)
  assert.equal(await bans.recordAttack('127.0.0.1', 'scanner'), undefined)
  for (let i = 0; i < 20; i++) await bans.recordWrongToken('127.0.0.1')
  assert.equal(bans.find('127.0.0.1'), undefined)
})

test('adding and lifting a ban take effect on another node within a second and survive a restart', async (t) => {
  const { bans, node } = await open(t)
  const other = (await node()).bans
  await bans.add(ATTACKER, { reason: 'by hand', by: 'operator', ms: HOUR })
  await until(() => other.find(ATTACKER) !== undefined, 1000)
  assert.equal(await other.lift(ATTACKER), true)
  assert.equal(other.find(ATTACKER), undefined)
  await until(() => bans.find(ATTACKER) === undefined, 1000)
  assert.equal(await bans.lift(ATTACKER), false)
})

test('after a ban is lifted the next ban has the length of a first one', async (t) => {
  const { bans } = await open(t)
  await bans.recordAttack(ATTACKER, 'scanner')
  await bans.lift(ATTACKER)
  const again = await bans.recordAttack(ATTACKER, 'scanner')
  assert.equal((again?.until ?? 0) - (again?.at ?? 0), 24 * HOUR)
})

test('while the store is unavailable bans stay active and new bans take effect on this node', async (t) => {
  const { bans, store } = await open(t)
  await bans.recordAttack(ATTACKER, 'scanner')
  await store.close()
  await bans.refresh()
  assert.ok(bans.find(ATTACKER))
  await bans.recordAttack('203.0.113.77', 'scanner')
  assert.ok(bans.find('203.0.113.77'))
})

test('an operator change that fails has no effect', async (t) => {
  const { bans, store } = await open(t)
  await bans.recordAttack(ATTACKER, 'scanner')
  const before = bans.find(ATTACKER)
  await store.close()
  await assert.rejects(bans.lift(ATTACKER))
  assert.equal(bans.find(ATTACKER), before)
  await assert.rejects(bans.add(ATTACKER, { reason: 'by hand', by: 'operator', ms: HOUR }))
  assert.equal(bans.find(ATTACKER), before)
  assert.deepEqual(bans.status().added, { automatic: 1, operator: 0 })
})

test('while the store is unavailable the number of new bans is bounded', async (t) => {
  const { store } = await open(t)
  await store.close()
  const bans = createBans(store.bans, store.strikes, { exempt: [], log })
  t.after(() => bans.close())
  for (let i = 0; i < 11_000; i++) await bans.recordAttack(`10.0.${i >> 8}.${i & 255}`, 'scanner')
  assert.equal(bans.status().active, 10_000)
})

test('a ban added while the store was unavailable is saved later', async (t) => {
  const { bans, store } = await open(t)
  let unavailable = true
  const flaky = createBans(
    {
      ...store.bans,
      put: (list) => (unavailable ? Promise.reject(new Error('unavailable')) : store.bans.put(list)),
      changes: (revision) => (unavailable ? Promise.reject(new Error('unavailable')) : store.bans.changes(revision)),
    },
    store.strikes,
    { exempt: [], log },
  )
  t.after(() => flaky.close())
  for (const address of [ATTACKER, '203.0.113.30']) await flaky.recordAttack(address, 'scanner')
  assert.ok(flaky.find(ATTACKER))
  await bans.add('203.0.113.30', { reason: 'for long', by: 'operator', ms: 1000 * HOUR })
  await assert.rejects(flaky.add('203.0.113.20', { reason: 'no', by: 'operator', ms: HOUR }))
  assert.equal(flaky.find('203.0.113.20'), undefined, 'the operator got an error')
  unavailable = false
  await flaky.refresh()
  assert.ok(flaky.find(ATTACKER))
  await until(() => bans.find(ATTACKER) !== undefined)
  const reasons = (await bans.list()).map(({ address, by }) => [address, by]).sort()
  assert.deepEqual(reasons, [
    ['203.0.113.30', 'operator'],
    [ATTACKER, 'automatic'],
  ])
  assert.equal(flaky.find('203.0.113.30')?.by, 'operator')
})

test('bans that wait for the store are saved at the end, or logged as lost', async (t) => {
  const { bans, store } = await open(t)
  const testLog = createTestLog()
  const end = async (unavailable: boolean) => {
    const put: typeof store.bans.put = (list) => (unavailable ? Promise.reject(new Error('no')) : store.bans.put(list))
    const ending = createBans({ ...store.bans, put }, store.strikes, { exempt: [], log: testLog })
    // More than are saved at once.
    for (let i = 0; i < 60; i++) void ending.recordAttack(`203.0.113.${i}`, 'scanner')
    await until(() => ending.status().active === 60)
    await ending.close()
    return testLog.lines.filter(({ message }) => message.includes('they are lost')).length
  }
  assert.equal(await end(true), 1)
  assert.equal((await bans.list()).length, 0)
  assert.equal(await end(false), 1)
  assert.equal((await bans.list()).length, 60)
})

test('one IPv6 site cannot have the bans of others evicted', async (t) => {
  const { bans } = await open(t)
  const attack = (network: string) => bans.recordAttack(`2001:db8:${network}::1`, 'scanner')
  const attackFrom = (first: number) =>
    Promise.all(Array.from({ length: 100 }, (_, n) => attack(`7:${(first + n).toString(16)}`)))
  for (let first = 0; first < 2000; first += 100) await attackFrom(first)
  assert.ok(bans.find('2001:db8:7:7cf::1'))
  assert.equal(await attack('7:7d0'), undefined)
  assert.ok(await attack('8:0'))
})
