import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createScrubber, shortenAddress } from '../../../src/platform/logging/index.ts'

const scrub = createScrubber(['/srv/menagerie', '/srv/menagerie/data'])

test('an IPv4 address is shortened to its /24', () => {
  assert.equal(shortenAddress('203.0.113.77'), '203.0.113.0/24')
  assert.equal(shortenAddress('::ffff:203.0.113.77'), '203.0.113.0/24')
})

test('no IPv4 address can be read from an IPv6 address that contains one', () => {
  const scrub = createScrubber([])
  const hidden = [
    ['2002:c000:221::1', '2002:c000:200::/40'],
    ['2002:c000:221::/48', '2002:c000:200::/40'],
    ['2002:c000:221:1::/64', '2002:c000:200::/40'],
    ['2002:c000:200::/40', '2002:c000:200::/40'],
    ['64:ff9b::c000:221', '64:ff9b:0::/48'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0::/48'],
    ['64:ff9b:1:c000:2:2100::', '64:ff9b:1::/48'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:0:4136::/48'],
  ]
  for (const [address = '', network] of hidden) {
    if (!address.includes('/')) assert.equal(shortenAddress(address), network)
    assert.equal(scrub(`banned ${address} again`), `banned ${network} again`)
  }
})

test('an IPv6 address is shortened to its /48', () => {
  assert.equal(shortenAddress('2001:db8:1:2:3:4:5:6'), '2001:db8:1::/48')
  assert.equal(shortenAddress('2001:DB8::1'), '2001:db8:0::/48')
  assert.equal(shortenAddress('::1'), '0:0:0::/48')
  assert.equal(shortenAddress('fe80::'), 'fe80:0:0::/48')
})

test('text that is not an address is replaced', () => {
  for (const text of ['', 'nonsense', 'a:b']) assert.equal(shortenAddress(text), 'unknown')
})

test('full addresses are removed from free text', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.ipV6(), fc.constantFrom(' ', '"', '(', '=', ','), (four, six, before) => {
      const line = scrub(`from${before}${four} and${before}${six} end`)
      assert.ok(!line.includes(`${before}${four} `), line)
      assert.ok(!line.includes(`${before}${six} `) || shortenAddress(six) === six, line)
    }),
  )
})

test('times, versions and shortened addresses are not changed', () => {
  const line = '{"time":"2026-11-15T10:11:12.123Z","client":"203.0.113.0/24","six":"2001:db8:1::/48","version":"1.4.0"}'
  assert.equal(scrub(line), line)
})

test('a network that is too small is shortened, also before a full stop', () => {
  assert.equal(scrub('banned 2001:db8:1:2::/64 and 203.0.113.9/32.'), 'banned 2001:db8:1::/48 and 203.0.113.0/24.')
  assert.equal(scrub('by 203.0.113.9. Or 2001:db8:1:2:3:4:5:6.'), 'by 203.0.113.0/24. Or 2001:db8:1::/48.')
  assert.equal(scrub('203.0.113.9/24 and 2001:db8:1:2::/48'), '203.0.113.0/24 and 2001:db8:1::/48')
  assert.equal(scrub('in 10.0.0.0/8, 2000::/3 or 2001:db8::/32'), 'in 10.0.0.0/8, 2000::/3 or 2001:db8::/32')
})

test('URLs are shortened to scheme and host, without credentials', () => {
  assert.equal(
    scrub('got https://user:pass@pictures.example/private/a.png?token=1#x here'),
    'got https://pictures.example here',
  )
  assert.equal(scrub('"redis://:hunter2@cache:6379/0"'), '"redis://cache:6379"')
})

test('tokens and keys are removed', () => {
  for (const prefix of ['mng_', 'mngc_', 'mngl_']) {
    assert.equal(scrub(`Bearer ${prefix}abcdefgh12345678`), 'Bearer [secret]')
    assert.equal(scrub(`/download/key_${prefix}abcdefgh12345678`), '/download/key_[secret]')
  }
})

test("the host's folders are removed", () => {
  assert.equal(
    scrub('open /srv/menagerie/data/x.json at file:///srv/menagerie/src/a.ts:1:2'),
    'open ./x.json at ./src/a.ts:1:2',
  )
})
