import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { negotiate } from '../../../src/http/kernel/input.ts'
import { matchesEtag } from '../../../src/http/kernel/replies.ts'

const OFFERED = ['application/json', 'image/webp'] as const

const cases: [string | undefined, string | undefined][] = [
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['image/*', 'image/webp'],
  ['image/webp,*/*;q=0.8', 'image/webp'],
  ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'image/webp'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
  ['image/webp;q=0.5, application/json;q=0.9', 'application/json'],
  ['application/json;q=0, */*', 'image/webp'],
  ['IMAGE/WEBP', 'image/webp'],
  ['text/plain', undefined],
  ['nonsense', undefined],
  ['image/webp;q=7', undefined],
]

for (const [accept, expected] of cases) {
  test(`Accept: ${accept ?? '(none)'} gets ${expected ?? 'nothing'}`, () => {
    assert.equal(negotiate(accept, OFFERED), expected)
  })
}

test('any header gives an offered type or none', () => {
  fc.assert(
    fc.property(fc.string(), (accept) => {
      const chosen = negotiate(accept, OFFERED)
      assert.ok(chosen === undefined || OFFERED.includes(chosen))
    }),
  )
})

test('only the first parts of a header are read', () => {
  // The quality after too many parameters does not count.
  assert.equal(negotiate(`image/webp${';a=b'.repeat(5)};q=0`, ['image/webp']), undefined)
  assert.equal(negotiate(`image/webp${';a=b'.repeat(10)};q=0`, ['image/webp']), 'image/webp')
  assert.equal(matchesEtag(`${'"a",'.repeat(99)}"b"`, '"b"'), true)
  assert.equal(matchesEtag(`${'"a",'.repeat(100)}"b"`, '"b"'), false)
})
