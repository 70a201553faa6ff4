import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { HostIndex } from '../../../src/features/blocklist/host-index.ts'
import { scanList } from '../../../src/features/blocklist/scan.ts'

const indexOf = (lines: Iterable<string>) => new HostIndex(scanList(Buffer.from([...lines].join('\n'))).index)

function parents(host: string): string[] {
  const labels = host.split('.')
  return labels.map((_, at) => labels.slice(at).join('.'))
}

test('what is blocked is what a set of the names says, asked for every parent', () => {
  const label = fc.constantFrom('a', 'b', 'ab', 'ba', 'x1', 'a-b')
  const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => [...labels, 'tld'].join('.'))
  fc.assert(
    fc.property(
      fc.array(host, { maxLength: 30 }),
      fc.array(host, { maxLength: 4 }),
      fc.array(host, { minLength: 20, maxLength: 40 }),
      (blocked, allowed, asked) => {
        const index = indexOf([...blocked, ...allowed.map((name) => `@@||${name}^`)])
        for (const each of [...asked, ...blocked]) {
          const above = parents(each)
          const expected = above.some((name) => blocked.includes(name)) && !above.some((name) => allowed.includes(name))
          assert.equal(index.has(each), expected, each)
          assert.equal(index.has(`${each.toUpperCase()}.`), expected, each)
          assert.equal(index.entryFor(each) !== undefined, expected)
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('of a hundred thousand names each is found, and of a million others none', () => {
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

test('the entry that blocks a host is told', () => {
  const index = indexOf(['bad.example', 'a.bad.example', '2001:db8::1'])
  assert.equal(index.entryFor('x.a.bad.example'), 'bad.example')
  assert.equal(index.entryFor('[2001:DB8::1]'), '2001:db8::1')
  assert.equal(index.entryFor('example'), undefined)
})

test('hosts that are odd are answered, too', () => {
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
