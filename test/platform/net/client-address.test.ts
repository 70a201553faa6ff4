import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { createAddressMatcher, listNetworks, toClientAddress } from '../../../src/platform/net/index.ts'

test('a client is identified by its IPv4 address or its IPv6 /64', () => {
  assert.equal(toClientAddress('203.0.113.7'), '203.0.113.7')
  assert.equal(toClientAddress('::ffff:203.0.113.7'), '203.0.113.7')
  assert.equal(toClientAddress('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  assert.equal(toClientAddress('2001:db8:1:2::1'), toClientAddress('2001:0db8:0001:0002:ffff::'))
  assert.notEqual(toClientAddress('2001:db8:1:3::1'), toClientAddress('2001:db8:1:2::1'))
  assert.equal(toClientAddress('fe80::1%eth0'), 'fe80::/64')
  assert.equal(toClientAddress('2001:0DB8:1:2::ffff'), '2001:db8:1:2::/64')
  assert.equal(toClientAddress('::1'), '::/64')
  assert.equal(toClientAddress('64:ff9b::808:808'), '8.8.8.8', 'translated: all IPv4 clients share this /64')
  assert.equal(toClientAddress('64:ff9b:1::808:808'), '8.8.8.8', 'the same with a prefix for local translators')
  for (const spelling of ['64:FF9B::808:808', '64:ff9b:0:0:0:0:808:808', '0064:ff9b::8.8.8.8', '::ffff:0:8.8.8.8'])
    assert.equal(toClientAddress(spelling), '8.8.8.8', spelling)
  assert.equal(toClientAddress('64:FF9B::127.0.0.1'), '64:ff9b::7f00:1', 'not this machine')
  assert.equal(toClientAddress('64:ff9b:1::10.0.0.7'), '64:ff9b:1::a00:7', 'one of many private clients')
  assert.equal(toClientAddress('64:ff9b:1:5:8:808:800:0'), '64:ff9b:1:5:8:808:800:0', 'a prefix of 64 bits')
  assert.equal(toClientAddress('unknown'), 'unknown')
  assert.equal(toClientAddress(''), '')
})

test('a list of addresses and CIDRs matches addresses and networks', () => {
  const isListed = createAddressMatcher(['127.0.0.0/8', '::1/128', '192.0.2.7', '2001:db8::/32'])
  for (const address of ['127.3.4.5', '::1', '192.0.2.7', '2001:db8:9::1', '2001:db8:9::/64'])
    assert.ok(isListed(address), address)
  for (const address of ['128.0.0.1', '192.0.2.8', '2001:db9::1', 'unknown', '']) assert.ok(!isListed(address), address)
})

test('a list that names a translated address matches the client, whose address is not translated', () => {
  for (const entry of ['64:ff9b::808:808', '64:ff9b:1::8.8.8.8', '::ffff:0:8.8.8.8', '::ffff:8.8.8.8'])
    assert.ok(createAddressMatcher([entry])(toClientAddress('64:ff9b::808:808')), entry)
  const isPrivate = createAddressMatcher(['64:ff9b:1::10.0.0.7'])
  assert.ok(isPrivate(toClientAddress('64:ff9b:1::10.0.0.7')) && !isPrivate('10.0.0.7'))
})

test('the networks of a client lead from the widest to the client', () => {
  assert.deepEqual(listNetworks('192.0.2.77'), ['192.0.2.0/24', '192.0.2.77'])
  const addresses = ['2001:db8:1:ff01::1', '2001:db8:1:ff02::1', '2001:db8:1:ee01::1', '2001:db8:2::1']
  const [home, same, neighbour, other] = addresses.map(listNetworks)
  assert.equal(home!.length, 3)
  assert.equal(home![2], '2001:db8:1:ff01::/64')
  assert.deepEqual(listNetworks('2001:db8:1:ff01::2'), home, 'one client with two addresses')
  assert.deepEqual(listNetworks('2001:db8:1:ff01::/64'), home)
  assert.deepEqual(same!.slice(0, 2), home!.slice(0, 2))
  assert.notEqual(same![2], home![2])
  assert.equal(neighbour![0], home![0])
  assert.notEqual(neighbour![1], home![1])
  assert.notEqual(other![0], home![0])
  assert.deepEqual(listNetworks('64:ff9b::10.0.0.7'), ['64:ff9b::a00:7'])
  assert.deepEqual(listNetworks('unknown'), ['unknown'])
})

const program = `
  import { openSync } from 'node:fs'
  import { networkInterfaces } from 'node:os'
  const { readNatAddresses } = await import('${import.meta.resolve('../../../src/platform/net/index.ts')}')
  try { for (;;) openSync('/dev/null') } catch {}
  try { networkInterfaces() } catch { readNatAddresses().forEach((address) => { throw new Error(address) }); process.exit(7) }
`

// The sandbox of systemd forbids the sockets that this needs (RestrictAddressFamilies); without files it fails, too.
test('a system that does not tell the addresses of the machine does not prevent a start', {
  skip: process.platform !== 'linux',
}, () => {
  const limited = ['-c', 'ulimit -n 64; exec "$0" --input-type=module -e "$1"', process.execPath, program]
  const { status, stderr } = spawnSync('sh', limited, { timeout: 20_000, encoding: 'utf8' })
  assert.equal(status, 7, stderr)
})
