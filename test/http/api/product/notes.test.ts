import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import Parser from 'rss-parser'
import { translateNotes } from '../../../../src/features/releases/index.ts'
import { APP, startApp } from '../../../kit/app.ts'
import { openTestReleases, record, releasesYaml, SIGNATURE } from '../../../kit/releases.ts'
import { forSuite } from '../../../kit/scope.ts'

const launcher = (notes: unknown) => ({ 'releases.yaml': releasesYaml({ launcher: [record('2.0.0', { notes })] }) })
const updater = { sha512: 'cd'.repeat(64), signature: SIGNATURE }

describe('release notes', () => {
  const notes = { de: 'Schneller <script>', 'pt-br': 'Mais rápido', en: 'Faster' }
  const app = forSuite((scope) =>
    startApp(scope, {
      'releases.yaml': releasesYaml({
        launcher: [record('2.0.0', { notes, ...updater }), record('1.0.0', { notes: 'First', ...updater })],
      }),
    }),
  )
  const ask = async (path: string, language = '') => {
    const reply = await app().fetchPath(APP + path, { headers: { 'Accept-Language': language } })
    return { headers: reply.headers, text: await reply.text() }
  }
  const paths = [
    '/launcher/updates',
    '/launcher/updates?format=tauri&current=1.0.0',
    '/launcher/updates/latest.yml',
    '/version/app/launcher',
  ]

  for (const path of paths) {
    test(`${path} has them in the language of the client`, async () => {
      assert.match((await ask(path)).text, /Schneller <script>/)
      assert.match((await ask(path, 'fr, de;q=0.5')).text, /Schneller/)
      assert.match((await ask(path, 'pt')).text, /Mais rápido/)
      const english = await ask(path, 'en-GB, de;q=0.9')
      assert.match(english.text, /Faster/)
      assert.match(english.headers.get('vary') ?? '', /^Accept-Language(, Accept-Encoding)?$/)
      assert.notEqual(english.headers.get('etag'), (await ask(path)).headers.get('etag'))
    })
  }

  test('releases without translations keep their notes', async () => {
    const { updates } = JSON.parse((await ask('/launcher/updates', 'pt-BR')).text)
    assert.deepEqual(
      updates.map(({ notes }: { notes: string }) => notes),
      ['Mais rápido', 'First'],
    )
  })

  test('lang overrides Accept-Language, and a wrong one is refused', async () => {
    const german = await ask('/launcher/updates?lang=de', 'en')
    assert.match(german.text, /Schneller/)
    assert.doesNotMatch(german.headers.get('vary') ?? '', /Language/)
    const { status, body } = await app().fetchJson(`${APP}/version/app/launcher?lang=german`)
    assert.deepEqual([status, body.code, body.parameter], [400, 'INVALID_PARAMETER', 'lang'])
  })
})

test('translated notes are the same object each time, so that an appcast renders them once', () => {
  const release = { notes: 'Faster', notesByLanguage: { en: 'Faster', de: 'Schneller' } }
  assert.equal(translateNotes(release, 'de').notes, 'Schneller')
  assert.equal(translateNotes(release, 'de'), translateNotes(release, 'de'))
  assert.equal(translateNotes(release, undefined), release)
})

test('an appcast has the notes of the newest releases only, if they are long or nested too deeply', async (t) => {
  const notes = ['>'.repeat(20_000), 'b'.repeat(79_000), 'c'.repeat(2000), 'd']
  const launcher = notes.map((text, n) => record(`1.0.${9 - n}`, { notes: text }))
  const app = await startApp(t, { 'releases.yaml': releasesYaml({ launcher }) })
  const { items } = await new Parser().parseString(await (await app.fetch('/launcher/updates/appcast.xml')).text())
  const shown = items.filter(({ title }, n) => title !== items[n - 1]?.title).map(({ content }) => content ?? '')
  assert.deepEqual(
    shown.map((text) => text.length),
    ['<pre></pre>'.length + 20_000 * '&gt;'.length, '<p></p>'.length + 79_000, 0, 0],
  )
})

test('notes in 500 languages are served, each in its own', async (t) => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const languages = letters.flatMap((first) => letters.map((second) => `${first}${second}x`)).slice(0, 500)
  const { fetchJson } = await startApp(t, launcher(Object.fromEntries(languages.map((name) => [name, `in ${name}`]))))
  for (const language of [languages[0]!, languages[250]!, languages[499]!]) {
    const { body } = await fetchJson(`${APP}/version/app/launcher`, { headers: { 'Accept-Language': language } })
    assert.equal(body.launcher.notes, `in ${language}`)
  }
})

test('replies do not depend on the language while nothing is translated', async (t) => {
  const app = await startApp(t, launcher('Only'))
  const reply = await app.fetchPath(`${APP}/launcher/updates`, { headers: { 'Accept-Language': 'de' } })
  assert.doesNotMatch(reply.headers.get('vary') ?? '', /Language/)
})

const wrong: [what: string, notes: unknown][] = [
  ['a number', 5],
  ['a list', ['en']],
  ['no language', {}],
  ['an unknown tag', { english: 'a' }],
  ['a language twice', { 'pt-br': 'a', 'pt-BR': 'b' }],
  ['a map as text', { en: { de: 'a' } }],
  ['a long text', { en: 'x'.repeat(100_001) }],
]
for (const [what, notes] of wrong) {
  test(`notes with ${what} are reported`, async (t) => {
    const { releases } = await openTestReleases(t, launcher(notes))
    const [problem, ...others] = releases.problems()
    assert.match(
      problem?.message ?? '',
      /^"launcher\.0\.notes" must be a text of at most 100000 characters, or such texts by/,
    )
    assert.deepEqual([problem?.rule, others], ['notes', []])
  })
}
