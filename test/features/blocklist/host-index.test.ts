import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HostIndex } from '../../../src/features/blocklist/host-index.ts'
import { parseList } from '../../../src/features/blocklist/parse-list.ts'

const indexOf = (lines: Iterable<string>) => new HostIndex(parseList(Buffer.from([...lines].join('\n'))).index)

function parents(host: string): string[] {
  const labels = host.split('.')
  return labels.map((_, at) => labels.slice(at).join('.'))
}

test('the index agrees with a set of names that is searched for every parent domain', () => {
  const label = fc.constantFrom('a', 'b', 'ab', 'ba', 'x1', 'a-b')
  const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => [...labels, 'tld'].join('.'))
  fc.assert(
    fc.property(
      fc.array(host, { maxLength: 30 }),
      fc.array(host, { maxLength: 4 }),
      fc.array(host, { minLength: 20, maxLength: 40 }),
      (blocked, allowed, queried) => {
        const index = indexOf([...blocked, ...allowed.map((name) => `@@||${name}^`)])
        for (const each of [...queried, ...blocked]) {
          const chain = parents(each)
          const expected = chain.some((name) => blocked.includes(name)) && !chain.some((name) => allowed.includes(name))
          assert.equal(index.has(each), expected, each)
          assert.equal(index.has(`${each.toUpperCase()}.`), expected, each)
          assert.equal(index.entryFor(each) !== undefined, expected)
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('all of 100,000 listed names are found, and none of a million others', () => {
  const word = () => Math.floor(Math.random() * 36 ** 5).toString(36)
  const listed = new Set(Array.from({ length: 100_000 }, () => `${word()}.co`))
  const index = indexOf(listed)
  assert.deepEqual(
    [...listed].filter((name) => !index.has(name)),
    [],
  )
  const wrong: string[] = []
  for (let others = 0; others < 1_000_000; ) {
    const name = `${word()}.co`
    if (listed.has(name)) continue
    others += 1
    if (index.has(name)) wrong.push(name)
  }
  assert.deepEqual(wrong, [])
})

test('entryFor returns the entry that blocks a host', () => {
  const index = indexOf(['bad.example', 'a.bad.example', '2001:db8::1'])
  assert.equal(index.entryFor('x.a.bad.example'), 'bad.example')
  assert.equal(index.entryFor('[2001:DB8::1]'), '2001:db8::1')
  assert.equal(index.entryFor('example'), undefined)
})

test('unusual and invalid hosts get an answer', () => {
  const index = indexOf(['bad.example', '||zip^'])
  for (const host of ['a!b.bad.example', '-.bad.example', '.bad.example', `${'a.'.repeat(300)}bad.example`, 'x.zip']) {
    assert.equal(index.has(host), true, host.slice(0, 20))
  }
  for (const host of [
    '',
    '.',
    '..',
    'ex ample',
    'a\0.example',
    '\uD800',
    'a'.repeat(5000),
    '1.2.3.4.5',
    '[::1',
    'ZIP2',
  ]) {
    assert.equal(index.has(host), false, host.slice(0, 20))
  }
})
