import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { APP, startApp } from '../../../kit/app.ts'
import { news, writeFiles } from '../../../kit/releases.ts'
import { forSuite } from '../../../kit/scope.ts'
import { untilEqual } from '../../../kit/until.ts'
import { parseXml } from '../../../kit/xml.ts'

const EVIL = '<img src=x onerror=alert(1)> & "co"'
const files = {
  'news/old.md': news('Old', '2026-01-01'),
  'news/new.md': news(EVIL, '2026-02-01', `Look: <script>alert(1)</script> ${EVIL} [x](javascript:alert(1))`),
  'news/later.md': news('Later', '2999-01-01'),
}

const types = {
  'json-feed': 'application/feed+json',
  atom: 'application/atom+xml',
  rss: 'application/rss+xml',
}

describe('news', () => {
  const app = forSuite((scope) => startApp(scope, files))

  test('is newest first, sanitised, and hidden before its date', async () => {
    const { body } = await app().fetchJson(`${APP}/launcher/news`)
    assert.deepEqual(
      body.news.map(({ id }: { id: string }) => id),
      ['new', 'old'],
    )
    const [{ title, html, url }] = body.news
    assert.equal(title, EVIL)
    assert.doesNotMatch(html, /<script|onerror|javascript:/)
    assert.equal(url, `${app().url}${APP}/launcher/news#new`)
  })

  for (const [format, type] of Object.entries(types)) {
    test(`comes as ${format} by Accept and by format`, async () => {
      const byFormat = await app().fetchPath(`${APP}/launcher/news?format=${format}`)
      const byAccept = await app().fetchPath(`${APP}/launcher/news`, { headers: { Accept: `${type}, */*;q=0.1` } })
      for (const reply of [byFormat, byAccept]) {
        assert.equal(reply.headers.get('content-type'), `${type}; charset=utf-8`)
        assert.match(reply.headers.get('vary') ?? '', /^Accept(, Accept-Encoding)?$/)
      }
      const text = await byFormat.text()
      assert.equal(await byAccept.text(), text)
      if (format === 'json-feed') {
        const [item] = JSON.parse(text).items
        assert.equal(item.title, EVIL, 'a title of a JSON Feed is text')
        assert.doesNotMatch(item.content_html, /<script|onerror|javascript:/)
      } else {
        parseXml(text)
        assert.doesNotMatch(text, /<script|<img/)
      }
    })
  }

  test('other types in Accept get JSON, and format overrides Accept', async () => {
    for (const Accept of ['*/*', 'text/html, application/xml;q=0.9, */*;q=0.8', 'image/png', 'application/json']) {
      const reply = await app().fetchPath(`${APP}/launcher/news`, { headers: { Accept } })
      assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8', Accept)
    }
    const reply = await app().fetchPath(`${APP}/launcher/news?format=json`, { headers: { Accept: types.rss } })
    assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
  })
})

test('after the first translation, a 304 does not confirm a reply that nginx stored for all languages', async (t) => {
  const { appDir, fetchPath } = await startApp(t, { 'news/a.md': news('Hello', '2026-02-01') })
  const read = (headers: object = {}) =>
    fetchPath(`${APP}/launcher/news`, { headers: { 'Accept-Language': 'en', ...headers } })
  const stored = await read()
  await writeFiles(appDir, { 'news/a.de.md': '---\ntitle: Hallo\n---\n' })
  await untilEqual(async () => (await read()).headers.get('vary'), 'Accept, Accept-Language')
  const reply = await read({ 'If-None-Match': stored.headers.get('etag') ?? '' })
  assert.deepEqual([reply.status, await reply.text()], [200, await stored.text()])
})

describe('translated news', () => {
  const translated = {
    'news/a.md': news('Hello', '2026-02-01'),
    'news/a.de.md': '---\ntitle: Hallo\n---\n[Mehr](/docs)\n',
    'news/a.pt-BR.md': '---\ntitle: Oi\n---\n',
    'news/b.md': news('Only English', '2026-01-01'),
  }
  const app = forSuite((scope) => startApp(scope, translated))
  const path = `${APP}/launcher/news`
  const titles = async (query: string, language?: string) => {
    const headers = language === undefined ? {} : { 'Accept-Language': language }
    const { body } = await app().fetchJson(path + query, { headers })
    return body.news.map(({ title }: { title: string }) => title).join(', ')
  }

  const choices: [header: string, expected: string][] = [
    ['de', 'Hallo'],
    ['DE-at;q=0.9, en;q=0.8', 'Hallo'],
    ['de;q=0.5, pt-PT;q=0.7', 'Oi'],
    ['en, de;q=0.9', 'Hello'],
    ['de;q=0, pt', 'Oi'],
    ['fr, *', 'Hello'],
    ['fr;q=1, it;q=2, de;q=x, pt;q=0.001', 'Oi'],
    ['', 'Hello'],
    ['\t,,;q=1;;, de', 'Hallo'],
    [`${'x-'.repeat(4000)}de`, 'Hello'],
    [`${'fr,'.repeat(4000)}de`, 'Hello'],
  ]
  for (const [header, expected] of choices) {
    test(`Accept-Language ${JSON.stringify(header.slice(0, 60))} chooses ${expected}`, async () =>
      assert.equal(await titles('', header), `${expected}, Only English`))
  }

  test('lang overrides Accept-Language, also where it is not available', async () => {
    assert.equal(await titles('?lang=de', 'pt'), 'Hallo, Only English')
    assert.equal(await titles('?lang=fr', 'pt'), 'Hello, Only English')
  })

  for (const bad of ['', 'd', 'german', 'de_DE', 'de-', 'x'.repeat(5000), '../de', '*', 'de,en', '%00', 'а-б']) {
    test(`lang=${bad.slice(0, 20)} is refused`, async () => {
      const { status, body } = await app().fetchJson(`${path}?lang=${bad}`)
      assert.deepEqual([status, body.code, body.parameter], [400, 'INVALID_PARAMETER', 'lang'])
      assert.equal(body.message, 'The parameter "lang" must be a language tag such as de or pt-BR.')
    })
  }

  test('each language has its own ETag, and caches know what the reply depends on', async () => {
    const etags = new Set<string>()
    for (const language of ['en', 'de', 'pt']) {
      for (const format of ['json', 'atom', 'rss', 'json-feed']) {
        const ask = (headers = {}) =>
          app().fetchPath(`${path}?format=${format}`, { headers: { 'Accept-Language': language, ...headers } })
        const reply = await ask()
        const vary = reply.headers.get('vary') ?? ''
        assert.match(vary, /^Accept, Accept-Language(, Accept-Encoding)?$/)
        const etag = reply.headers.get('etag') ?? ''
        assert.ok(!etags.has(etag))
        etags.add(etag)
        const again = await ask({ 'If-None-Match': etag })
        assert.deepEqual([again.status, again.headers.get('vary')], [304, vary])
        assert.equal(
          (await ask({ 'If-None-Match': etag, 'Accept-Language': language === 'de' ? 'pt' : 'de' })).status,
          200,
        )
      }
    }
    assert.doesNotMatch((await app().fetchPath(`${path}?lang=de`)).headers.get('vary') ?? '', /Language/)
  })

  test('ids are the same under two hosts and in two languages, and links follow the host', async () => {
    const hosts = [app().url, app().url.replace('127.0.0.1', 'localhost')]
    const texts = await Promise.all(
      hosts.flatMap((host) =>
        ['en', 'de'].map(async (language) => (await fetch(`${host}${path}?format=atom&lang=${language}`)).text()),
      ),
    )
    const ids = texts.map((text) => [...text.matchAll(/<id>([^<]*)<\/id>/g)].map(([, id]) => id))
    assert.equal(new Set(ids[0]).size, 3)
    for (const list of ids) assert.deepEqual(list, ids[0])
    assert.ok(texts[1]?.includes(`href="${hosts[0]}/docs"`) && texts[3]?.includes(`href="${hosts[1]}/docs"`))
  })
})

describe('feed discovery', () => {
  const findFeeds = (html: string) =>
    [...html.matchAll(/<link rel="alternate" type="([^"]+)" title="[^"]+" href="([^"]+)">/g)].map(([, type, href]) => ({
      type,
      href: href ?? '',
    }))

  test('pages link the feeds by their types', async (t) => {
    const app = await startApp(t, files)
    for (const page of ['/', '/docs/guides/errors']) {
      const feeds = findFeeds(await (await app.fetchPath(page)).text())
      assert.equal(feeds.length, 3, page)
      for (const { type, href } of feeds) {
        const reply = await fetch(new URL(href, app.url + page))
        assert.equal(reply.headers.get('content-type'), `${type}; charset=utf-8`)
      }
    }
  })

  test('pages link no feed that requires a client key', async (t) => {
    const app = await startApp(t, files, { V5_ACCESS: 'registered' })
    assert.deepEqual(findFeeds(await (await app.fetchPath('/')).text()), [])
  })
})
