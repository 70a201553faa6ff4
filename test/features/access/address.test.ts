import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerOf, createAddressTest } from '../../../src/features/access/index.ts'

test('an IPv6 caller is its /64, an IPv4 one its address', () => {
  assert.equal(callerOf('203.0.113.7'), '203.0.113.7')
  assert.equal(callerOf('::ffff:203.0.113.7'), '203.0.113.7')
  assert.equal(callerOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  assert.equal(callerOf('2001:db8:1:2::1'), callerOf('2001:0db8:0001:0002:ffff::'))
  assert.notEqual(callerOf('2001:db8:1:3::1'), callerOf('2001:db8:1:2::1'))
  assert.equal(callerOf('fe80::1%eth0'), 'fe80::/64')
  assert.equal(callerOf('unknown'), 'unknown')
})

test('addresses and networks are found in a list of addresses and CIDRs', () => {
  const isListed = createAddressTest(['127.0.0.0/8', '::1/128', '192.0.2.7', '2001:db8::/32'])
  for (const address of ['127.3.4.5', '::1', '192.0.2.7', '2001:db8:9::1', '2001:db8:9::/64'])
    assert.ok(isListed(address), address)
  for (const address of ['128.0.0.1', '192.0.2.8', '2001:db9::1', 'unknown', '']) assert.ok(!isListed(address), address)
})
