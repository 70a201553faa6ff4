import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkContent, starterDir } from '../../../src/features/content/index.ts'
import { openTestContent } from '../../kit/content.ts'

test('the starter content has no problem and enough of every kind', async () => {
  const { catalogue, problems } = await checkContent(starterDir)
  assert.deepEqual(problems, [])
  const atLeast = { string: 40, kaomoji: 60, 'yt-video': 7 }
  for (const [category, least] of Object.entries(atLeast)) {
    for (const { kind, count } of catalogue[category as keyof typeof atLeast]) {
      assert.ok(count >= least, `${category}/${kind} has ${count}`)
    }
  }
})

const lists = ['string/8ball', ...['cat', 'dog', 'owo', 'uwu', 'love'].map((kind) => `kaomoji/${kind}`)]

for (const list of lists) {
  test(`${list}: each text is normalised Unicode with assigned characters, and unique`, async () => {
    const text = await readFile(join(starterDir, `${list}.txt`), 'utf8')
    const items = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    for (const item of items) {
      assert.equal(item, item.normalize('NFC'))
      assert.equal(item, item.trim())
      assert.doesNotMatch(item, /[\p{Cn}\p{Co}\p{Cs}\p{Cc}\ufffd]/u)
    }
    const blurred = items.map((item) => item.replaceAll(/\s/g, ''))
    assert.equal(new Set(blurred).size, items.length)
  })
}

test('the shipped cat videos are the expected ones', async (t) => {
  const { content } = await openTestContent(t, {})
  const ids = content.pickMany('yt-video', 'hl-cats', 7).map(({ video }) => video!.id)
  const known = [
    'J---aiyznGQ',
    'QH2-TGUlwu4',
    '0Bmhjf0rKe8',
    'Q34z5dCmC4M',
    'z_AbfPXTKms',
    'w0ffwDYo00Q',
    '4rb8aOzy9t4',
  ]
  assert.deepEqual(ids.sort(), known.sort())
})

test('without a content folder every built-in kind is served', async (t) => {
  const { content } = await openTestContent(t, {})
  for (const [category, kinds] of Object.entries(content.catalogue())) {
    assert.ok(kinds.length > 0)
    for (const { kind } of kinds) assert.ok(content.pick(category as 'string', kind))
  }
})
