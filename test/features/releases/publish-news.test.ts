import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { OperatorError } from '../../../src/errors/index.ts'
import {
  addNews,
  listLanguages,
  listNews,
  readTier,
  removeNews,
  setTier,
} from '../../../src/features/releases/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { BASE, news, openTestReleases, writeFiles } from '../../kit/releases.ts'
import { until } from '../../kit/until.ts'

test('adding and removing news take effect within two seconds', async (t) => {
  const { dir, releases } = await openTestReleases(t, {})
  const title = 'A "new": Launcher — für alle!'
  const { id, file } = await addNews({ dir, title, markdown: '# Hello\n\nText.', at: '2026-01-01', summary: 'S: s' })
  assert.deepEqual([id, file], ['2026-01-01-a-new-launcher-fur-alle', `news/${id}.md`])
  await until(() => releases.news(BASE).news.length === 1, 2000)
  const [item] = releases.news(BASE).news
  assert.deepEqual([item?.title, item?.summary, item?.html], [title, 'S: s', '<h1>Hello</h1>\n<p>Text.</p>'])
  assert.deepEqual(
    (await listNews(dir)).news.map((listed) => listed.id),
    [id],
  )
  await removeNews(dir, id)
  await until(() => releases.news(BASE).news.length === 0, 2000)
})

test('invalid news are refused with the reason, and nothing changes', async (t) => {
  const dir = await temporaryFolder(t)
  const good = { dir, title: 'A', markdown: 'x', id: 'a' }
  await addNews(good)
  await assert.rejects(addNews(good), /news\/a\.md already has the id "a"/)
  await assert.rejects(addNews({ ...good, id: '../a' }), OperatorError)
  await assert.rejects(addNews({ ...good, id: 'b', at: 'tomorrow' }), /date that exists/)
  await assert.rejects(addNews({ ...good, id: 'b', title: '' }), OperatorError)
  await assert.rejects(addNews({ ...good, id: 'b', url: 'javascript:alert(1)' }), /http or https/)
  await assert.rejects(addNews({ ...good, id: 'b', image: 'data:image/png;base64,AA' }), /must be an absolute http/)
  await assert.rejects(addNews({ ...good, id: 'b', image: '//evil.example/a.png' }), /must be an absolute http/)
  await assert.rejects(addNews({ ...good, id: 'b', lang: 'de_DE' }), /must be a language tag/)
  await assert.rejects(addNews({ ...good, isTranslation: true }), /must have a language/)
  await assert.rejects(addNews({ ...good, id: 'b.de' }), /must not end like the name of a translation/)
  await assert.rejects(removeNews(dir, 'b'), /no news with the id "b"/)
  assert.match((await addNews({ ...good, id: 'b', dryRun: true })).diff, /^\+title: A$/m)
  assert.match((await removeNews(dir, 'a', { dryRun: true })).diff, /^-title: A$/m)
  assert.deepEqual(await readdir(join(dir, 'news')), ['a.md'])
})

test('a file that cannot be read as news is not overwritten by a new item or translation, but can be replaced', async (t) => {
  const dir = await temporaryFolder(t)
  const broken = '---\ntitle: A\ndate: someday\n---\nMy text.\n'
  await writeFiles(dir, { 'news/a.md': broken, 'news/b.md': news('B'), 'news/b.de.md': broken })
  const item = { dir, title: 'New', markdown: 'x' }
  await assert.rejects(addNews({ ...item, id: 'a' }), /^Error: news\/a\.md already exists\.$/)
  await assert.rejects(addNews({ ...item, id: 'b', lang: 'de' }), /^Error: news\/b\.de\.md already exists\.$/)
  assert.equal(await readFile(join(dir, 'news/a.md'), 'utf8'), broken)
  await addNews({ ...item, id: 'a', replace: true })
  await addNews({ ...item, id: 'b', lang: 'de', isTranslation: true, replace: true })
  assert.deepEqual((await listNews(dir)).problems, [])
})

test('a pipe among the news is a problem of its own, and does not block the others', { timeout: 10_000 }, async (t) => {
  const dir = await temporaryFolder(t)
  await writeFiles(dir, { 'news/a.md': news('A') })
  execFileSync('mkfifo', [join(dir, 'news/pipe.md')])
  await addNews({ dir, id: 'b', title: 'B', markdown: 'x' })
  const { news: listed, problems } = await listNews(dir)
  assert.deepEqual(listed.map(({ id }) => id).sort(), ['a', 'b'])
  assert.deepEqual(
    problems.map(({ file, rule }) => [file, rule]),
    [['news/pipe.md', 'readable']],
  )
})

test('a text in another language is added to its item, and removed with it', async (t) => {
  const dir = await temporaryFolder(t)
  const item = { dir, id: 'welcome', markdown: 'x' }
  await addNews({ ...item, title: 'Willkommen', lang: 'de', image: '/media/animals/fox/~b.png', at: '2026-01-01' })
  const added = await addNews({ ...item, title: 'Welcome', lang: 'EN-gb' })
  assert.deepEqual(
    [added.file, added.isTranslation, added.date],
    ['news/welcome.en-GB.md', true, '2026-01-01T00:00:00.000Z'],
  )
  await addNews({ ...item, title: 'Bienvenue', lang: 'fr' })
  await assert.rejects(
    addNews({ ...item, title: 'Again', lang: 'fr' }),
    /already has the id "welcome" in the language "fr"/,
  )
  await assert.rejects(addNews({ ...item, title: 'Again', lang: 'de' }), /news\/welcome\.md already has the id/)
  const original = addNews({ ...item, title: 'Again', lang: 'fr', isTranslation: false, replace: true })
  await assert.rejects(original, /news\/welcome\.fr\.md is already in the language "fr"/)
  const [listed] = (await listNews(dir)).news
  assert.deepEqual([listed?.title, listLanguages(listed!)], ['Willkommen', ['de', 'en-GB', 'fr']])
  await assert.rejects(removeNews(dir, 'welcome', { lang: 'it' }), /no translation "it"/)
  await removeNews(dir, 'welcome', { lang: 'fr' })
  assert.deepEqual(await readdir(join(dir, 'news')), ['welcome.en-GB.md', 'welcome.md'])
  await removeNews(dir, 'welcome')
  assert.deepEqual(await readdir(join(dir, 'news')), [])
})

test('a file that starts with a byte order mark is listed and removed like the others', async (t) => {
  const dir = await temporaryFolder(t)
  await writeFiles(dir, { 'news/a.md': `\ufeff${news('A', '2026-01-01', 'x')}` })
  assert.deepEqual((await listNews(dir)).problems, [])
  await removeNews(dir, 'a')
})

test('ids are made of titles in any script', async (t) => {
  const dir = await temporaryFolder(t)
  const idOf = async (title: string) =>
    (await addNews({ dir, title, markdown: 'x', at: '2026-01-01', dryRun: true })).id
  const titles = ['Über', 'Привет, мир!', 'Łódź & København', '深圳', '🎉 2.0', '¿?']
  assert.deepEqual(await Promise.all(titles.map(idOf)), [
    '2026-01-01-uber',
    '2026-01-01-privet-mir',
    '2026-01-01-lodz-kobenhavn',
    '2026-01-01-shenzhen',
    '2026-01-01-tada-2-0',
    '2026-01-01',
  ])
})

test('setting a tier changes only the given parts of its file', async (t) => {
  const dir = await temporaryFolder(t)
  const other = '3:\n  benefits: [Cake]\n'
  await writeFiles(dir, { 'tiers.yaml': `# Ours\n2:\n  resources: { a: 1.0.0, b: 1.0.0 } # packs\n${other}` })
  const { diff } = await setTier({ dir, tier: '2', resources: { a: '1.10', b: null, c: '2.0.0' }, benefits: ['One'] })
  assert.match(diff, /^\+/m)
  assert.doesNotMatch(diff, /^[-+]"?[23]/m)
  assert.deepEqual(await readTier(dir, '2'), {
    tier: 2,
    name: 'favorite',
    resources: { a: '1.10', c: '2.0.0' },
    benefits: ['One'],
  })
  const text = await readFile(join(dir, 'tiers.yaml'), 'utf8')
  assert.ok(text.includes('# Ours') && text.includes('# packs'))
  await setTier({ dir, tier: '3', benefits: ['Two'] })
  assert.deepEqual((await readTier(dir, '3')).benefits, ['Two'])
  await assert.rejects(setTier({ dir, tier: '3', resources: { x: null } }), /no resource "x"/)
  await assert.rejects(setTier({ dir, tier: '3', benefits: [''] }), OperatorError)
})
