import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { getMessage, writeItem, writeMessage } from '../../../src/http/api/item-replies.ts'
import { openTestContent } from '../../kit/content.ts'
import { oddNames, tinyPng } from '../../kit/pictures.ts'

const parse = (byteString: string | undefined) => JSON.parse(Buffer.from(byteString ?? '', 'latin1').toString())
const BASE = 'https://example.org'

test('texts and videos become JSON in UTF-8', async (t) => {
  const { content } = await openTestContent(t, {
    'string/8ball.txt': 'Say "no" \\ or 🐈',
    'yt-video/own.yaml': '- { id: 0Bmhjf0rKe8, title: "A \\"cat\\"" }',
  })
  const text = content.pick('string', '8ball')
  assert.equal(parse(writeMessage(text, BASE)), 'Say "no" \\ or 🐈')
  assert.deepEqual(parse(writeItem(text)), { id: hash('sha256', 'Say "no" \\ or 🐈').slice(0, 12), kind: '8ball' })
  const video = content.pick('yt-video', 'own')
  assert.equal(parse(writeMessage(video, BASE)), 'https://www.youtube.com/watch?v=0Bmhjf0rKe8')
  assert.deepEqual(parse(writeItem(video)), { id: '0Bmhjf0rKe8', kind: 'own', title: 'A "cat"' })
})

test('a picture becomes its URL, and an item with its credit', async (t) => {
  const { content } = await openTestContent(t, {
    'animals/cat/a.png': tinyPng(1),
    'animals/cat/credits.yaml': 'default: { author: Zoë, tags: [hat] }',
  })
  const picture = content.pick('animals', 'cat')
  const { id, file } = picture
  assert.equal(parse(writeMessage(picture, BASE)), `${BASE}/media/animals/cat/${file}`)
  assert.deepEqual(parse(writeItem(picture)), {
    ...{ id, kind: 'cat', type: 'image/png', width: 1, height: 1, size: tinyPng(1).length, color: '#808080' },
    ...{ alt: 'cat', tags: ['hat'], author: 'Zoë', license: null, source: null },
  })
})

test('a picture with any file name has a URL that needs no escaping', async (t) => {
  const files = oddNames.map((name, i) => [`animals/cat/${name}.png`, tinyPng(i)] as const)
  const { content } = await openTestContent(t, Object.fromEntries(files))
  for (const item of content.pickMany('animals', 'cat', oddNames.length)) {
    const message = getMessage(item, BASE)
    const { href, pathname } = new URL(message)
    assert.equal(href, message)
    assert.equal(parse(writeMessage(item, BASE)), message)
    assert.equal(decodeURIComponent(pathname.split('/').at(-1)!), item.file)
  }
})
