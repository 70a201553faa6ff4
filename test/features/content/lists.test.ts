import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseTextList, parseVideoList } from '../../../src/features/content/lists.ts'
import { acceptEntries } from '../../../src/platform/files/index.ts'
import { openTestContent } from '../../kit/content.ts'
import { until, untilEqual } from '../../kit/until.ts'

const read = (text: string | Buffer) => parseTextList('list.txt', Buffer.from(text))
const texts = (text: string) => read(text).value?.map(({ text }) => text)
const where = ({ problems }: ReturnType<typeof read>) => problems.map(({ line, rule }) => `${line}: ${rule}`)

test('a list has one text per line, without comments and blank lines', () => {
  assert.deepEqual(texts('\ufeff# title\n\n  one  \r\ntwo # not a comment\n\\# three\n\\n stays\n#four\n'), [
    ...['one', 'two # not a comment', '# three', '\\n stays'],
  ])
})

test('a duplicate text is reported with its line, and is served once', () => {
  const list = read('a\nb\n\na\n')
  assert.equal(list.value?.length, 2)
  assert.deepEqual(where(list), ['4: duplicate'])
})

test('a list with invalid UTF-8, a control character, a text that is too long, or no text is rejected', () => {
  const cases: [string | Buffer, string][] = [
    [Buffer.from('ok\nalso\nbr\xf6ken\n', 'latin1'), '3: utf-8'],
    [Buffer.from([0xff, 0xfe, 0x61, 0x00]), '1: utf-8'],
    ['ok\nbell \x07\n', '2: control-character'],
    [`ok\n${'x'.repeat(2001)}`, '2: length'],
    ['# nothing\n\n', 'undefined: empty'],
    ['', 'undefined: empty'],
  ]
  for (const [text, problem] of cases) {
    const list = read(text)
    assert.equal(list.value, undefined)
    assert.deepEqual(where(list), [problem])
  }
})

test('a list in which git marks a conflict is rejected', () => {
  const list = read('one\n<<<<<<< HEAD\ntwo\n=======\nthree\n>>>>>>> other\n')
  assert.equal(list.value, undefined)
  assert.deepEqual(where(list), ['2: conflict', '6: conflict'])
  assert.equal(read('<<<<<\n=======\n>>>>>>>\n').value?.length, 3)
})

test('a problem of a video list is reported with its line and rule', () => {
  const list = (yaml: string) => parseVideoList('v.yaml', Buffer.from(yaml))
  const cases: [string, string][] = [
    ['- id: 0Bmhjf0rKe8\n  title: ok\n- id: short\n  title: x\n', '3: pattern'],
    ['- id: 0Bmhjf0rKe8\n  title: ok\n  length: 3\n', '3: unknown-field'],
    ['- id: 0Bmhjf0rKe8\n', '1: required'],
    ['- id: 0Bmhjf0rKe8\n  title: [\n', '3: yaml'],
    ['videos: none', '1: type'],
    ['[]', '1: minItems'],
  ]
  for (const [yaml, problem] of cases) {
    assert.equal(list(yaml).value, undefined)
    assert.deepEqual(where(list(yaml)), [problem], yaml)
  }
  const withUrl = list('- { id: "https://youtu.be/0Bmhjf0rKe8", title: a }')
  assert.match(withUrl.problems[0]?.message ?? '', /^"0\.id" must be the part of the URL after watch\?v=: 11 letters/)
  const duplicated = list('- { id: 0Bmhjf0rKe8, title: a }\n- { id: 0Bmhjf0rKe8, title: b }')
  assert.equal(duplicated.value?.length, 1)
  assert.deepEqual(
    duplicated.problems.map(({ rule }) => rule),
    ['duplicate'],
  )
})

test('nested aliases (billion laughs) are rejected without expanding them', () => {
  const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`)
  const { value } = parseVideoList('v.yaml', Buffer.from(`l0: &l0 [x]\n${levels.join('\n')}\n`))
  assert.equal(value, undefined)
})

test('an invalid edit leaves the served list unchanged, and is reported with file, line and rule', async (t) => {
  const { dir, content, logged } = await openTestContent(t, {
    'kaomoji/cat.txt': '(good)\n',
    'kaomoji/dog.txt': '(dog)',
  })
  const file = join(dir, 'kaomoji/cat.txt')
  writeFileSync(file, Buffer.from('(fine)\n(br\xf6ken)\n', 'latin1'))
  const problems = () => content.problems().map(({ file, line, rule }) => ({ file, line, rule }))
  await untilEqual(problems, [{ file: 'kaomoji/cat.txt', line: 2, rule: 'utf-8' }])
  assert.equal(content.pick('kaomoji', 'cat').text, '(good)')
  await until(() => logged.some(({ fields }) => 'line' in fields && fields.line === 2))
  writeFileSync(file, '')
  await until(() => content.problems()[0]?.rule === 'empty')
  assert.equal(content.pick('kaomoji', 'cat').text, '(good)')
  writeFileSync(file, '(better)\n')
  await until(() => content.pick('kaomoji', 'cat').text === '(better)')
  assert.deepEqual(content.problems(), [])
})

test('a list file is a kind; if its removal is confirmed, a built-in kind uses the shipped list, and others disappear', async (t) => {
  const { dir, content } = await openTestContent(t, { 'string/fortune.txt': 'luck', 'string/8ball.txt': 'own answer' })
  assert.deepEqual(content.kinds('string'), ['8ball', 'fortune'])
  await writeFile(join(dir, 'string/weather.txt'), 'rain')
  await until(() => content.kinds('string').includes('weather'))
  await rm(join(dir, 'string/fortune.txt'))
  await until(() => content.problems().some(({ file, rule }) => file === 'string/fortune.txt' && rule === 'shrunk'))
  assert.equal(content.pick('string', 'fortune').text, 'luck')
  await rm(join(dir, 'string/8ball.txt'))
  await acceptEntries(dir, { 'string/fortune.txt': 0, 'string/8ball.txt': 0 })
  await until(() => !content.kinds('string').includes('fortune'))
  await until(() => content.pick('string', '8ball').text !== 'own answer')
  assert.deepEqual(content.problems(), [])
})

test('a list file whose name is not a valid kind is reported', async (t) => {
  const { content } = await openTestContent(t, { 'string/Bad Name.txt': 'x', 'string/fine.txt': 'x' })
  assert.deepEqual(
    content.problems().map(({ file, rule }) => [file, rule]),
    [['string/Bad Name.txt', 'kind-name']],
  )
  assert.deepEqual(content.kinds('string'), ['8ball', 'fine'])
})

test('a YAML file that takes seconds to parse is refused', () => {
  const [problem] = parseVideoList('yt-video/a.yaml', Buffer.alloc(2 ** 18 + 1, '[')).problems
  assert.equal(problem?.rule, 'size')
  assert.match(problem?.message ?? '', /at most 256 KiB/)
})
