import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandLine } from '../kit/command-line.ts'

test('the /64 of an IPv6 address is banned and lifted in any spelling', async (t) => {
  const { here } = await commandLine(t)
  const { ban } = await here.json('ban', 'add', '2001:db8::7/64')
  assert.equal(ban.address, '2001:db8::/64')
  const lifted = await here.json('ban', 'lift', '2001:DB8:0:0::/64')
  assert.equal(lifted.address, '2001:db8::/64')
  assert.deepEqual((await here.json('ban', 'list')).bans, [])
})

test('an IPv4 address has no /64, and no other network can be banned', async (t) => {
  const { here } = await commandLine(t)
  for (const network of ['192.0.2.7/64', '2001:db8::/32', '192.0.2.0/24']) {
    assert.match(await here.refusal('ban', 'add', network), /is no IP address, nor the \/64 of an IPv6 one/)
  }
})
