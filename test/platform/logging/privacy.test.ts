import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createScrub, cutAddress } from '../../../src/platform/logging/privacy.ts'

const scrub = createScrub(['/srv/menagerie', '/srv/menagerie/data'])

test('an IPv4 address is cut to its /24', () => {
  assert.equal(cutAddress('203.0.113.77'), '203.0.113.0/24')
  assert.equal(cutAddress('::ffff:203.0.113.77'), '203.0.113.0/24')
})

test('an IPv6 address is cut to its /48', () => {
  assert.equal(cutAddress('2001:db8:1:2:3:4:5:6'), '2001:db8:1::/48')
  assert.equal(cutAddress('2001:DB8::1'), '2001:db8:0::/48')
  assert.equal(cutAddress('::1'), '0:0:0::/48')
  assert.equal(cutAddress('fe80::'), 'fe80:0:0::/48')
})

test('what is no address is not passed on', () => {
  for (const text of ['', 'nonsense', 'a:b']) assert.equal(cutAddress(text), 'unknown')
})

test('no free text keeps a full address', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.ipV6(), fc.constantFrom(' ', '"', '(', '=', ','), (four, six, before) => {
      const line = scrub(`from${before}${four} and${before}${six} end`)
      assert.ok(!line.includes(`${before}${four} `), line)
      assert.ok(!line.includes(`${before}${six} `) || cutAddress(six) === six, line)
    }),
  )
})

test('times, versions and what is cut already stay', () => {
  const line = '{"time":"2026-11-15T10:11:12.123Z","client":"203.0.113.0/24","six":"2001:db8:1::/48","version":"1.4.0"}'
  assert.equal(scrub(line), line)
})

test('a network that is smaller than allowed is cut, too, and a full stop hides nothing', () => {
  assert.equal(scrub('banned 2001:db8:1:2::/64 and 203.0.113.9/32.'), 'banned 2001:db8:1::/48 and 203.0.113.0/24.')
  assert.equal(scrub('by 203.0.113.9. Or 2001:db8:1:2:3:4:5:6.'), 'by 203.0.113.0/24. Or 2001:db8:1::/48.')
  assert.equal(scrub('203.0.113.9/24 and 2001:db8:1:2::/48'), '203.0.113.0/24 and 2001:db8:1::/48')
  assert.equal(scrub('in 10.0.0.0/8, 2000::/3 or 2001:db8::/32'), 'in 10.0.0.0/8, 2000::/3 or 2001:db8::/32')
})

test('of a URL only scheme and host stay, without credentials', () => {
  assert.equal(
    scrub('got https://user:pass@pictures.example/private/a.png?token=1#x here'),
    'got https://pictures.example here',
  )
  assert.equal(scrub('"redis://:hunter2@cache:6379/0"'), '"redis://cache:6379"')
})

test('tokens and keys are taken out', () => {
  assert.equal(scrub('Bearer mng_abcdefgh12345678'), 'Bearer [secret]')
})

test("the host's folders are not named", () => {
  assert.equal(
    scrub('open /srv/menagerie/data/x.json at file:///srv/menagerie/src/a.ts:1:2'),
    'open ./x.json at ./src/a.ts:1:2',
  )
})
