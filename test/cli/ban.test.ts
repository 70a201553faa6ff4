import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandLine } from '../kit/command-line.ts'

test('an address is banned and listed, and its ban is lifted', async (t) => {
  const { json, run, fail } = await commandLine(t)
  assert.deepEqual(await run('ban', 'list'), { code: 0, stdout: '', stderr: 'There are no bans.\n' })
  const { ban } = await json('ban', 'add', '2001:db8:1:2::7', '--for', '7d', '--reason', 'scrapes')
  assert.equal(ban.address, '2001:db8:1:2::/64')
  const { bans } = await json('ban', 'list')
  assert.deepEqual([bans.length, bans[0].reason, bans[0].by], [1, 'scrapes', 'operator'])
  assert.match(bans[0].until, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  assert.equal((await json('ban', 'lift', '2001:db8:1:2::99')).address, '2001:db8:1:2::/64')
  assert.equal(await fail('ban', 'lift', '2001:db8:1:2::99'), '2001:db8:1:2::/64 is not banned.')
  assert.match(await fail('ban', 'add', '127.0.0.1'), /BAN_EXEMPT/)
  assert.match(await fail('ban', 'add', '192.0.2.1', '--for', 'ever'), /--for must be/)
  // As over HTTP.
  assert.match(await fail('ban', 'add', '192.0.2.1', '--for', '366d'), /--for must be from 1h to 365d, not "366d"/)
})

test('the /64 network of an IPv6 address is banned, and its ban lifted, in any spelling', async (t) => {
  const { json } = await commandLine(t)
  const { ban } = await json('ban', 'add', '2001:db8::7/64')
  assert.equal(ban.address, '2001:db8::/64')
  const lifted = await json('ban', 'lift', '2001:DB8:0:0::/64')
  assert.equal(lifted.address, '2001:db8::/64')
  assert.deepEqual((await json('ban', 'list')).bans, [])
})

test('a network is banned, and its ban lifted, in any spelling', async (t) => {
  const { json, fail } = await commandLine(t)
  for (const [given = '', network] of [
    ['192.0.2.7/24', '192.0.2.0/24'],
    ['2001:DB8:0:1::/48', '2001:db8::/48'],
    ['192.0.2.7/32', '192.0.2.7'],
  ]) {
    assert.equal((await json('ban', 'add', given)).ban.address, network)
    assert.equal((await json('ban', 'lift', given)).address, network)
  }
  assert.equal(await fail('ban', 'lift', '192.0.2.0/24'), '192.0.2.0/24 is not banned.')
})

test('host names, too large networks and parts of a /64 cannot be banned', async (t) => {
  const { fail } = await commandLine(t)
  for (const network of ['example.org', '192.0.2.7/64', '0.0.0.0/0', '2001:db8::/15', '2001:db8::/65', '1.2.3.4/+9']) {
    assert.match(await fail('ban', 'add', network), /is neither an IP address nor a network of/)
  }
})
