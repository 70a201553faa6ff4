import assert from 'node:assert/strict'
import { test } from 'node:test'
import { artistKinds, describe } from '../../../packages/artist/src/index.ts'
import { createTagIndex, createTagMatcher, listTags, type TagMatcher } from '../../../packages/artist/tags/index.ts'

const MAX_SEEDS = 65_536

function findSeed(matcher: TagMatcher | undefined, start: string): string | undefined {
  for (let i = 0; matcher && i < MAX_SEEDS; i++) {
    const seed = start + i
    if (matcher.mayMatch(seed) && matcher.matches(seed)) return seed
  }
  return undefined
}

for (const kind of artistKinds) {
  test(`the list of tags of a ${kind} has the tags of all drawings`, () => {
    const tags = new Set(listTags(kind))
    for (let i = 0; i < 40; i++)
      for (const tag of describe(kind, `list ${i}`).tags) assert.ok(tags.has(tag), `${tag} (seed ${i})`)
  })

  test(`a ${kind} is found by tags of another one`, () => {
    for (let i = 0; i < 4; i++) {
      const tags = describe(kind, `wanted ${i}`).tags.slice(-3)
      const seed = findSeed(createTagMatcher(kind, tags), `found ${i} `)
      assert.ok(seed !== undefined, tags.join())
      const found = describe(kind, seed).tags
      assert.deepEqual(
        tags.filter((tag) => !found.includes(tag)),
        [],
      )
    }
  })

  test(`each tag in the list of a ${kind} is that of a drawing`, () => {
    const missing = listTags(kind).filter((tag) => findSeed(createTagMatcher(kind, [tag]), tag) === undefined)
    assert.deepEqual(missing, [])
  })

  test(`each tag of a ${kind} can be unwanted, except its name`, () => {
    for (const tag of listTags(kind)) {
      const seed = findSeed(createTagMatcher(kind, [kind], [tag]), tag)
      assert.ok(seed === undefined || !describe(kind, seed).tags.includes(tag), tag)
      assert.equal(seed === undefined, tag === kind, tag)
    }
  })
}

test('tags that no drawing has together are known without a search', () => {
  for (const tags of [['unicorn'], ['cat', 'dog'], ['golden', 'starry'], ['constructor']])
    assert.equal(createTagMatcher('cat', tags), undefined, tags.join())
  assert.equal(createTagMatcher('cat', [], listTags('cat')), undefined, 'every cat has some tag')
})

test('what a tag requires is found out once, also if it requires nothing', () => {
  let calls = 0
  const listTags = ({ coat }: Readonly<Record<string, string>>) => {
    calls++
    return coat === 'plain' ? ['cat'] : ['cat', 'striped']
  }
  const features = [['coat', { plain: 1, stripes: 1 }]] as const
  const index = createTagIndex({
    name: 'cat',
    features,
    listTags,
    chooseLook: () => ({ coat: 'plain' }),
  })
  const create = () => index.createMatcher(['cat'], ['striped', 'unknown'])
  create()
  calls = 0
  assert.notEqual(create(), undefined)
  assert.equal(calls, 0)
})
