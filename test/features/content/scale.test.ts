import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestContent } from '../../kit/content.ts'
import { tinyPng } from '../../kit/pictures.ts'
import { until } from '../../kit/until.ts'

const MANY = 2000

test(`${MANY} pictures are indexed with progress, picked evenly, cached for the next start, and follow changes`, async (t) => {
  const { root, dir, content, open } = await openTestContent(t, {})
  await content.close()
  const folder = join(dir, 'animals', 'cat')
  mkdirSync(folder, { recursive: true })
  for (let i = 0; i < MANY; i++) writeFileSync(join(folder, `${i}.png`), tinyPng(i))

  const cacheFile = join(root, 'cache')
  const reports: { done: number; total: number }[] = []
  const first = await open({ cacheFile, startTimeoutMs: 0, onProgress: (done, total) => reports.push({ done, total }) })
  assert.ok(first.pick('animals', 'cat').file.length > 0, 'it serves while it reads')
  await first.whenIndexed()
  assert.deepEqual(first.catalogue().animals[0], { kind: 'cat', count: MANY, drawn: false, types: { png: MANY } })
  assert.ok(
    reports.length > 1 && reports.every(({ done, total }, i) => done <= total && done >= (reports[i - 1]?.done ?? 0)),
  )
  assert.deepEqual(reports.at(-1), { done: MANY, total: MANY })

  const halves = [0, 0]
  for (let i = 0; i < 20_000; i++) halves[Number.parseInt(first.pick('animals', 'cat').file, 10) < MANY / 2 ? 0 : 1]!++
  assert.ok(Math.abs(halves[0]! - halves[1]!) < 6 * Math.sqrt(20_000), `${halves}`)
  const seeded = first.pickMany('animals', 'cat', 50, { seed: 'x' }).map(({ file }) => file)
  assert.equal(new Set(seeded).size, 50)
  await first.close()

  const again: unknown[] = []
  const second = await open({ cacheFile, onProgress: (...progress) => again.push(progress) })
  assert.deepEqual(again, [], 'no file was read')
  assert.deepEqual(
    second.pickMany('animals', 'cat', 50, { seed: 'x' }).map(({ file }) => file),
    seeded,
  )
  writeFileSync(join(folder, 'new.png'), tinyPng(MANY))
  await until(() => second.catalogue().animals[0]?.count === MANY + 1)
  rmSync(join(folder, '7.png'))
  await until(() => second.catalogue().animals[0]?.count === MANY)
  await assert.rejects(async () => second.media('cat', '7.png'), { code: 'MEDIA_NOT_FOUND' })
})
