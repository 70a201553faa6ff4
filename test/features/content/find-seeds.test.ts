import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSearchEffort, createSeedFinder } from '../../../src/features/content/drawings.ts'
import { createSecureRandom } from '../../../src/features/content/random.ts'
import { plainArtist } from '../../kit/artist.ts'

const random = createSecureRandom()
const tags = { wanted: ['rare'], unwanted: [] }

/** Finds seeds with a matcher that counts what it is asked. */
function countedFinder({ mayMatch = (_: number) => false }) {
  const asked = { seeds: 0, checks: 0 }
  const matcher = {
    mayMatch: () => mayMatch(asked.seeds++),
    matches: () => ++asked.checks > 0,
  }
  const find = createSeedFinder({ ...plainArtist, createTagMatcher: () => matcher })
  return { asked, find }
}

test('a request for tags that no drawing has tries few seeds, however many kinds it searches', () => {
  const { asked, find } = countedFinder({})
  const effort = createSearchEffort()
  for (const kind of plainArtist.kinds) assert.deepEqual([...find(kind, { tags, effort }, random)], [])
  assert.ok(asked.seeds > 20_000 && asked.seeds < 40_000, `${asked.seeds}`)
})

test('a kind without such a drawing leaves effort for the next one', () => {
  const { asked, find } = countedFinder({})
  const effort = createSearchEffort()
  const counts = plainArtist.kinds.slice(0, 2).map((kind) => {
    const before = asked.seeds
    assert.equal(find(kind, { tags, effort }, random).next().done, true)
    return asked.seeds - before
  })
  assert.ok(counts[0]! > 16_000 && counts[1]! > 8000, `${counts}`)
})

test('searches of several kinds at a time share one effort, and full checks count more', () => {
  const { asked, find } = countedFinder({ mayMatch: () => true })
  const effort = createSearchEffort()
  const searches = plainArtist.kinds.map((kind) => find(kind, { tags, effort }, random))
  while (searches.some((search) => !search.next().done));
  assert.ok(asked.checks < 700, `${asked.checks}`)
})
