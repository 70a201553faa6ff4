import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { creditPictures, readPictures } from '../../../src/features/content/index.ts'
import { openTestContent, writeSettledFiles } from '../../kit/content.ts'
import { tinyPng } from '../../kit/pictures.ts'
import { until, untilEqual } from '../../kit/until.ts'

type Content = Awaited<ReturnType<typeof openTestContent>>['content']
const pictures = { 'animals/cat/a.png': tinyPng(1), 'animals/cat/b.png': tinyPng(2), 'animals/cat/c.png': tinyPng(3) }

function credits(content: Content) {
  return Object.fromEntries(content.pickMany('animals', 'cat', 3).map((item) => [item.file[0]!, item.credit()]))
}

test('a sidecar overrides credits.yaml, which overrides its default', async (t) => {
  const { content } = await openTestContent(t, {
    ...pictures,
    'animals/cat/credits.yaml': [
      'default: { license: CC0-1.0 }',
      'a.png: { author: Ann, alt: "A \\"cat\\"", tags: [hat, two-cats] }',
      'b.png: { author: Bea }',
    ].join('\n'),
    'animals/cat/b.png.yaml': 'author: Bob\nsource: https://example.org/b\n',
  })
  assert.deepEqual(content.problems(), [])
  assert.deepEqual(credits(content), {
    a: { alt: 'A "cat"', tags: ['hat', 'two-cats'], author: 'Ann', license: 'CC0-1.0', source: null },
    b: { alt: 'cat', tags: [], author: 'Bob', license: 'CC0-1.0', source: 'https://example.org/b' },
    c: { alt: 'cat', tags: [], author: null, license: 'CC0-1.0', source: null },
  })
})

test('the credits of a sidecar are shown to the operator, and those that a command sets replace them', async (t) => {
  const { dir, content } = await openTestContent(t, {
    ...pictures,
    'animals/cat/credits.yaml': 'a.png: { author: Bea, alt: A cat }\n',
    'animals/cat/a.png.yaml': 'author: Sid\n',
  })
  const [shown, ...others] = (await readPictures(dir, 'cat')).pictures.map(({ credit }) => credit)
  assert.deepEqual([shown, others], [{ author: 'Sid', alt: 'A cat' }, [{}, {}]])
  await creditPictures({ dir, kind: 'cat', files: ['a.png'], credit: { author: 'Ann' } })
  await until(() => credits(content).a!.author === 'Ann')
})

test('after a restart with invalid credits, the last good ones are used', async (t) => {
  const { root, dir, content, open } = await openTestContent(t, {
    ...pictures,
    'animals/cat/credits.yaml': 'default: { license: CC0-1.0 }\na.png: { author: Ann }\n',
    'animals/cat/b.png.yaml': 'author: Bob\n',
  })
  await content.close()
  const cacheFile = join(root, 'pictures.jsonl')
  await (await open({ cacheFile })).close()
  const invalid = {
    'animals/cat/credits.yaml': 'a.png: { author: Eve }\n  no: [yaml',
    'animals/cat/b.png.yaml': 'autor: Eve',
  }
  await writeSettledFiles(dir, invalid)
  // The second start finds the problems in the cache.
  for (const start of ['first', 'second']) {
    const restarted = await open({ cacheFile })
    const authors = Object.entries(credits(restarted)).map(([file, { author, license }]) => [file, author, license])
    const expected = [
      ['a', 'Ann', 'CC0-1.0'],
      ['b', 'Bob', 'CC0-1.0'],
      ['c', null, 'CC0-1.0'],
    ]
    assert.deepEqual(authors.sort(), expected, start)
    const files = new Set(restarted.problems().map(({ file }) => file))
    assert.deepEqual([...files].sort(), ['animals/cat/b.png.yaml', 'animals/cat/credits.yaml'], start)
    await restarted.close()
  }
  await writeSettledFiles(dir, { 'animals/cat/credits.yaml': 'a.png: { author: Zoe }\n' })
  await rm(join(dir, 'animals/cat/b.png.yaml'))
  const repaired = await open({ cacheFile })
  assert.deepEqual([credits(repaired).a!.author, credits(repaired).b!.author], ['Zoe', null])
  assert.deepEqual(repaired.problems(), [])
})

test('a good edit of credits is used, a bad one changes nothing and is a problem with its line', async (t) => {
  const { dir, content } = await openTestContent(t, {
    ...pictures,
    'animals/cat/credits.yaml': 'a.png:\n  author: Ann\n',
  })
  const file = join(dir, 'animals/cat/credits.yaml')
  writeFileSync(file, 'a.png:\n  author: Anna\n')
  await until(() => credits(content).a!.author === 'Anna')
  writeFileSync(file, 'a.png:\n  author: Eve\n  source: javascript:alert(1)\n  autor: x\n  tags: [-hat]\n')
  const problems = () => content.problems().map(({ file, line, rule }) => `${file}:${line} ${rule}`)
  const wrong = [
    'animals/cat/credits.yaml:3 pattern',
    'animals/cat/credits.yaml:4 unknown-field',
    'animals/cat/credits.yaml:5 pattern',
  ]
  await untilEqual(() => problems().sort(), wrong)
  const messages = content.problems().map(({ message }) => message)
  assert.ok(messages.includes('"a.png.source" must be an http or https URL'), messages.join('\n'))
  assert.ok(messages.some((message) => message.startsWith('"a.png.tags.0" must have 1 to 50 characters: a-z, 0-9')))
  assert.equal(credits(content).a!.author, 'Anna')
  await writeFile(join(dir, 'animals/cat/a.png.yaml'), 'author: Sid\n')
  await until(() => credits(content).a!.author === 'Sid')
  await rm(join(dir, 'animals/cat/a.png.yaml'))
  await until(() => credits(content).a!.author === 'Anna')
  await rm(file)
  await until(() => credits(content).a!.author === null)
  assert.deepEqual(content.problems(), [])
})

test('an entry for a missing picture is a problem; names of object properties do no harm', async (t) => {
  const { content } = await openTestContent(t, {
    ...pictures,
    'animals/cat/credits.yaml': 'missing.png: { author: A }\n"__proto__": { author: P }\nconstructor: { author: C }\n',
  })
  const rules = content.problems().map(({ rule }) => rule)
  assert.deepEqual(new Set(rules), new Set(['unknown-file']))
  assert.equal(credits(content).a!.author, null)
})
