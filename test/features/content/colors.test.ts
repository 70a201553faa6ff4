import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Busy, ImageTooManyPixels } from '../../../src/errors/index.ts'
import { openTestContent } from '../../kit/content.ts'
import { tinyPng } from '../../kit/pictures.ts'

const files = { 'animals/cat/a.png': tinyPng(1), 'animals/cat/b.png': tinyPng(2) }

test('a colour is found at the first request, once, and stored for the next start', async (t) => {
  const analysed: (string | undefined)[] = []
  const analyseColor = async (_: Buffer, client?: string) => {
    analysed.push(client)
    return '#112233'
  }
  const { root, open } = await openTestContent(t, files)
  const options = { analyseColor, cacheFile: join(root, 'pictures.jsonl') }
  const content = await open(options)
  const pictures = content.pickMany('animals', 'cat', 2)
  assert.deepEqual(
    pictures.map(({ color }) => color),
    [null, null],
  )
  await Promise.all([...pictures, ...pictures].map((item) => item.complete?.('10.0.0.1')))
  for (const { color } of content.pickMany('animals', 'cat', 2)) assert.equal(color, '#112233')
  assert.deepEqual(analysed, ['10.0.0.1', '10.0.0.1'])
  await content.close()
  assert.match(await readFile(options.cacheFile, 'utf8'), /#112233/)
  const restarted = await open(options)
  for (const { color } of restarted.pickMany('animals', 'cat', 2)) assert.equal(color, '#112233')
  assert.equal(analysed.length, 2)
})

test('a picture that cannot be analysed is grey; under load the next request tries again', async (t) => {
  let error: Error | undefined = new ImageTooManyPixels('frames', 1)
  const analyseColor = async () => {
    if (error) throw error
    return '#112233'
  }
  const { dir, content } = await openTestContent(t, files, { analyseColor })
  const [first, second] = content.pickMany('animals', 'cat', 2)
  await first!.complete?.()
  assert.equal(first!.color, '#808080')
  error = new Busy(1)
  await second!.complete?.()
  assert.equal(second!.color, null)
  error = undefined
  const path = join(dir, 'animals/cat', second!.file.replace(/-[0-9a-f]{12}/, ''))
  const bytes = await readFile(path)
  await writeFile(path, 'other bytes')
  await second!.complete?.()
  assert.equal(second!.color, null, 'not the colour of another picture')
  await writeFile(path, bytes)
  await second!.complete?.()
  assert.equal(second!.color, '#112233')
})

test('a client gets the colour of its picture while many clients of one network wait for others', async (t) => {
  const COUNT = 60
  const many = Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`animals/cat/${i}.png`, tinyPng(i)]))
  const { promise, resolve } = Promise.withResolvers<string>()
  const { content } = await openTestContent(t, many, { analyseColor: () => promise })
  const [own, ...others] = content.pickMany('animals', 'cat', COUNT)
  const flood = others.map((item, i) => item.complete?.(`2001:db8:1:${i.toString(16)}::`))
  const completed = own!.complete?.('2001:db8:2::')
  resolve('#112233')
  await Promise.all([...flood, completed])
  assert.equal(own!.color, '#112233')
})

test('a client gets the colours of pictures while those of a busy client wait in its queue', async (t) => {
  const queue = Promise.withResolvers<void>()
  const analyseColor = async (_: Buffer, client?: string) => {
    if (client === '203.0.113.1') await queue.promise
    return '#112233'
  }
  const { content } = await openTestContent(t, { ...files, 'animals/cat/c.png': tinyPng(3) }, { analyseColor })
  const [first, second, third] = content.pickMany('animals', 'cat', 3)
  const queued = [first, second].map((item) => item!.complete?.('203.0.113.1'))
  for (const item of [first, third]) {
    await item!.complete?.('198.51.100.1')
    assert.equal(item!.color, '#112233')
  }
  queue.resolve()
  await Promise.all(queued)
})
