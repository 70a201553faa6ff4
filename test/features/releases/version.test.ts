import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compare } from 'semver'
import { compareVersions, isSemantic, isVersion, parseVersion } from '../../../src/features/releases/version.ts'

const order = (a: string, b: string) => Math.sign(compareVersions(parseVersion(a)!, parseVersion(b)!))

test('a version has one to four numbers and an optional pre-release, and keeps its text', () => {
  for (const text of [
    '7',
    '1.2',
    '2.1.0',
    '8.7.3.1',
    '8.7.3.1-beta.2',
    '0',
    '2.1.0-rc-1.x',
    '20261116120000',
    '1-0a',
  ]) {
    assert.equal(parseVersion(text)?.text, text)
  }
})

test('any other text is not a version', () => {
  for (const text of [
    ...[
      '',
      '.',
      '1.',
      '.1',
      '1..2',
      '1.2.3.4.5',
      '01.2.3',
      '1.02',
      '00',
      '-1',
      '1.-2',
      '+1',
      '1e3',
      '0x1',
      ' 1',
      '1 ',
      '1\n',
    ],
    ...['v1.0.0', '1.0.0+build', '1.0.0-', '1.0.0-01', '1.0.0-a..b', '1.0.0-ä', '١.٢.٣', '１.0', '1,2', 'latest'],
    ...['9'.repeat(4000), '1'.repeat(16), `1.0.0-${'1'.repeat(16)}`, `1.0.0-${'a'.repeat(100)}`],
  ]) {
    assert.equal(isVersion(text), false, text.slice(0, 40))
  }
})

test('versions compare by number, and missing numbers are 0', () => {
  const sorted = [
    '0.9',
    '1-alpha',
    '1',
    '1.0.0.1-rc.1',
    '1.0.0.1',
    '1.2',
    '1.9',
    '1.10',
    '1.10.0.7',
    '1.10.1',
    '2-a',
    '10',
  ]
  for (const [index, text] of sorted.entries()) {
    for (const [other, otherText] of sorted.entries()) assert.equal(order(text, otherText), Math.sign(index - other))
  }
  for (const [a, b] of [
    ['1.2', '1.2.0'],
    ['7', '7.0.0.0'],
    ['1-a', '1.0.0-a'],
  ] as const) {
    assert.equal(order(a, b), 0)
    assert.equal(parseVersion(a)?.key, parseVersion(b)?.key)
  }
})

const identifier = fc.oneof(fc.nat(20).map(String), fc.stringMatching(/^[0-9a-zA-Z-]{0,3}[a-zA-Z-][0-9a-zA-Z-]{0,2}$/))
const prerelease = fc.array(identifier, { maxLength: 3 }).map((parts) => (parts.length ? `-${parts.join('.')}` : ''))
const semantic = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(12), prerelease).map(([a, b, c, end]) => `${a}.${b}.${c}${end}`)

test('semantic versions compare as semver says', () => {
  fc.assert(fc.property(semantic, semantic, (a, b) => assert.equal(order(a, b), compare(a, b))))
})

test('only three numbers are a semantic version', () => {
  for (const [text, expected] of [
    ['2.1.0', true],
    ['2.1.0-beta.1', true],
    ['2.1', false],
    ['8.7.3.1', false],
    ['7-a', false],
  ] as const) {
    assert.equal(isSemantic(parseVersion(text)!), expected, text)
  }
})
