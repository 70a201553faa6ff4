import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { getHost, parseFetchUrl } from '../../../src/platform/net/address-policy.ts'
import { isInternalName } from '../../../src/platform/net/addresses.ts'
import { classifyAddress } from '../../../src/platform/net/index.ts'
import { allowedIPv4, allowedIPv6, forbiddenIPv4, forbiddenIPv6, forbiddenSpellings } from './addresses.ts'

test('the first and last address of each special range are not public', () => {
  const classified = [...forbiddenIPv4, ...forbiddenIPv6].map((address) => [address, classifyAddress(address)])
  assert.ok(classified.length >= 120, `${classified.length}`)
  assert.deepEqual(
    classified.filter(([, category]) => category === 'public'),
    [],
  )
  assert.ok([...forbiddenIPv4, ...forbiddenIPv6].every((address) => isIP(address) !== 0))
})

test('addresses next to special ranges are public', () => {
  for (const address of [...allowedIPv4, ...allowedIPv6]) assert.equal(classifyAddress(address), 'public', address)
})

test('every spelling of a forbidden host is normalised before it is classified', () => {
  for (const spelling of forbiddenSpellings) {
    const host = getHost(parseFetchUrl(`http://${spelling}/`))
    assert.ok(isIP(host) ? classifyAddress(host) !== 'public' : isInternalName(host), `${spelling} became ${host}`)
  }
})

test('text that a socket would not use as a literal is not an address', () => {
  for (const text of ['', '127.1', '0177.0.0.1', '0x8.8.8.8', '8.8.8.8 ', '[::1]', 'fe80::1%eth0', '2606::1%1', 'x']) {
    assert.equal(classifyAddress(text), 'not an address', text)
  }
})

test('an IPv6 address that carries an IPv4 address is never public', () => {
  const wraps = [
    (high: string, low: string) => `::${high}:${low}`,
    (high: string, low: string) => `::ffff:${high}:${low}`,
    (high: string, low: string) => `64:ff9b::${high}:${low}`,
    (high: string, low: string) => `64:ff9b:1::${high}:${low}`,
    (high: string, low: string) => `2002:${high}:${low}::1`,
    (high: string, low: string) => `2001:0:1:2:3:4:${high}:${low}`,
  ]
  const group = fc.integer({ min: 0, max: 0xffff }).map((number) => number.toString(16))
  fc.assert(
    fc.property(fc.constantFrom(...wraps), group, group, (wrap, high, low) => {
      assert.notEqual(classifyAddress(wrap(high, low)), 'public')
    }),
  )
})

test('a public name is not classified as internal', () => {
  for (const name of ['example.com', 'local.example.com', 'mylocalhost', 'notlocal', 'internal.example.org']) {
    assert.equal(isInternalName(name), false, name)
  }
})
