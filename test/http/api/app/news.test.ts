import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { APP, startApp } from '../../../kit/app.ts'
import { news } from '../../../kit/releases.ts'
import { forSuite } from '../../../kit/scope.ts'
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
        assert.equal(reply.headers.get('vary'), 'Accept')
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
