import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  createSecureRandom,
  createSeededRandom,
  randomBelow,
  shuffleIndexes,
} from '../../../src/features/content/random.ts'

/** The chi-square statistic against an even distribution. */
function chiSquare(counts: number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}

/**
 * Six standard deviations: a fair generator fails once in hundreds of millions of runs. The statistic of few counts is
 * skewed, but its cube root is nearly normal (Wilson and Hilferty).
 */
function isEven(counts: number[]): boolean {
  const freedom = counts.length - 1
  const variance = 2 / (9 * freedom)
  return Math.cbrt(chiSquare(counts) / freedom) < 1 - variance + 6 * Math.sqrt(variance)
}

const generators = { secure: createSecureRandom(), seeded: createSeededRandom('a seed') }

for (const [name, random] of Object.entries(generators)) {
  test(`numbers of the ${name} generator are evenly distributed`, () => {
    for (const size of [2, 7, 100, 1000]) {
      const counts = Array<number>(size).fill(0)
      for (let i = 0; i < 200 * size; i++) counts[randomBelow(size, random)]!++
      assert.ok(isEven(counts), `size ${size}: ${chiSquare(counts)}`)
    }
  })

  test(`indexes chosen with the ${name} generator are evenly distributed, in any position`, () => {
    const first = Array<number>(10).fill(0)
    const anywhere = Array<number>(10).fill(0)
    for (let i = 0; i < 20_000; i++) {
      const chosen = [...shuffleIndexes(10, random).take(4)]
      first[chosen[3]!]!++
      for (const index of chosen) anywhere[index]!++
    }
    assert.ok(isEven(first) && isEven(anywhere), `${first} ${anywhere}`)
  })
}

test('words that would favour low numbers are skipped', () => {
  const words = [2 ** 32 - 1, 4, 5]
  assert.equal(
    randomBelow(3, () => words.shift()!),
    1,
    'the last word of 2^32 is one too many for 3',
  )
})

test('every index comes once', () => {
  fc.assert(
    fc.property(fc.nat(60), fc.string(), (size, seed) => {
      const chosen = [...shuffleIndexes(size, createSeededRandom(seed))]
      assert.deepEqual(
        chosen.toSorted((a, b) => a - b),
        Array.from({ length: size }, (_, index) => index),
      )
    }),
  )
})

test('choosing a few indexes of a huge collection is fast', () => {
  const chosen = [...shuffleIndexes(4_000_000_000, createSecureRandom()).take(50)]
  assert.equal(new Set(chosen).size, 50)
})

test('a seed of any length gives the same numbers again, another seed gives others', () => {
  const numbers = (seed: string) => [...shuffleIndexes(1000, createSeededRandom(seed)).take(20)]
  for (const seed of ['', 'x', 'ü🐈', 'long'.repeat(2560)]) {
    assert.deepEqual(numbers(seed), numbers(seed))
    assert.notDeepEqual(numbers(seed), numbers(`${seed}.`))
  }
})
