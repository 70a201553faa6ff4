import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { below, choose, repeatableDraw, unpredictableDraw } from '../../../src/features/content/random.ts'

/** How far counts are from even; for n-1 degrees of freedom its mean is n-1 and its deviation sqrt(2(n-1)). */
function chiSquare(counts: number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}

// Six deviations: a fair generator fails once in hundreds of millions of runs.
const isEven = (counts: number[]) => chiSquare(counts) < counts.length - 1 + 6 * Math.sqrt(2 * (counts.length - 1))

const sources = { unpredictable: unpredictableDraw(), repeatable: repeatableDraw('a seed') }

for (const [name, draw] of Object.entries(sources)) {
  test(`the ${name} choice favours no place`, () => {
    for (const size of [2, 7, 100, 1000]) {
      const counts = Array<number>(size).fill(0)
      for (let i = 0; i < 200 * size; i++) counts[below(size, draw)]!++
      assert.ok(isEven(counts), `size ${size}: ${chiSquare(counts)}`)
    }
  })

  test(`the ${name} choice of several favours no place and no order`, () => {
    const first = Array<number>(10).fill(0)
    const anywhere = Array<number>(10).fill(0)
    for (let i = 0; i < 20_000; i++) {
      const chosen = choose(4, 10, draw)
      first[chosen[3]!]!++
      for (const place of chosen) anywhere[place]!++
    }
    assert.ok(isEven(first) && isEven(anywhere), `${first} ${anywhere}`)
  })
}

test('words that would favour the first places are drawn again', () => {
  const words = [2 ** 32 - 1, 4, 5]
  assert.equal(
    below(3, () => words.shift()!),
    1,
    'the last word of 2^32 is one too many for 3',
  )
})

test('none comes twice before all have come, however many are asked for', () => {
  fc.assert(
    fc.property(fc.nat(120), fc.integer({ min: 1, max: 60 }), fc.string(), (count, size, seed) => {
      const chosen = choose(count, size, repeatableDraw(seed))
      assert.equal(chosen.length, count)
      for (let start = 0; start < count; start += size) {
        const round = chosen.slice(start, start + size)
        assert.equal(new Set(round).size, round.length)
        assert.ok(round.every((place) => place >= 0 && place < size))
      }
    }),
  )
})

test('a few of a huge collection are chosen without looking at the rest', () => {
  const chosen = choose(50, 4_000_000_000, unpredictableDraw())
  assert.equal(new Set(chosen).size, 50)
})

test('the same seed gives the same numbers, another seed others, of whatever length', () => {
  const numbers = (seed: string) => choose(20, 1000, repeatableDraw(seed))
  for (const seed of ['', 'x', 'ü🐈', 'long'.repeat(2560)]) {
    assert.deepEqual(numbers(seed), numbers(seed))
    assert.notDeepEqual(numbers(seed), numbers(`${seed}.`))
  }
})
