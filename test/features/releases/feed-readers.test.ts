// Feed readers of other authors read the feeds.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { extractFromJson, extractFromXml } from '@extractus/feed-extractor'
import RssParser from 'rss-parser'
import { news, openTestReleases } from '../../kit/releases.ts'

const HOSTILE = '<script>alert(1)</script> & ]]> "x" 🐈'
const HOSTS = ['https://one.example', 'http://127.0.0.1:4010']
const withFields = (text: string, fields: string) => text.replace('---\n', `---\n${fields}\n`)

const files = {
  'news/hostile.md': news(
    HOSTILE,
    '2026-03-01',
    `Look: ${HOSTILE} [link](/docs) ![picture](/media/animals/fox/~b.png)`,
  ),
  'news/control.md': news('Null \u0000, bell \u0007, half \ud800, \uffff', '2026-02-01', 'Body \u0000\u000b\ud800'),
  'news/a._-B.md': withFields(
    news('Plain', '2026-01-01'),
    'image: /media/animals/fox/~b.png\nurl: "https://x.example/\\x01ä"',
  ),
  'news/a._-B.de.md': '---\ntitle: Schlicht\n---\nÜbersetzt.\n',
  'news/later.md': news('Later', '2999-01-01'),
}

interface Entry {
  readonly id: string | undefined
  readonly title: string | undefined
  readonly link: string | undefined
  readonly date: string | undefined
  readonly html: string | undefined
}

const toTime = (date: string | undefined) => new Date(date ?? '').toISOString()

async function readWithRssParser(text: string): Promise<Entry[]> {
  const parser = new RssParser<unknown, { id?: string; summary?: string }>()
  const { items } = await parser.parseString(text)
  return items.map(({ id, guid = id, title, link, isoDate, content }) => ({
    id: guid,
    title,
    link,
    date: toTime(isoDate),
    html: content,
  }))
}

function readWithExtractor(format: string, text: string): Entry[] {
  const options = { normalization: true, descriptionMaxLen: 0, getExtraEntryFields: readHtml }
  const read = format === 'json-feed' ? extractFromJson(JSON.parse(text), options) : extractFromXml(text, options)
  return (read.entries ?? []).map((entry) => {
    const { id, title, link, published, html } = entry as typeof entry & { html?: string }
    return { id, title, link, date: toTime(published), html }
  })
}

function readHtml(entry: object) {
  const { content_html, content, description } = entry as Record<string, any>
  return { html: content_html ?? content?.['#text'] ?? description }
}

/** XML cannot contain these characters. */
const replaceInvalid = (text: string) => text.replace(/[\u0000\u0007\u000b\ud800\uffff](?!\udc08)/g, '\ufffd')

describe('two readers of other authors find all news', () => {
  for (const format of ['atom', 'rss', 'json-feed'] as const) {
    test(`${format}, with the same ids under two hosts`, async (t) => {
      const { releases } = await openTestReleases(t, files)
      const ids: unknown[] = []
      for (const host of HOSTS) {
        const base = `${host}/api/v5/app`
        const { text } = await releases.newsFeed(base, format)
        const expected = releases.news(base).news
        assert.deepEqual(
          expected.map(({ id }) => id),
          ['hostile', 'control', 'a._-B'],
        )
        // JSON can contain all characters.
        const clean = format === 'json-feed' ? (text: string) => text : replaceInvalid
        // The extractor removes fragments.
        const extracted = readWithExtractor(format, text).map((entry, n) => ({
          ...entry,
          link: entry.link + new URL(expected[n]?.url ?? '').hash,
        }))
        const readings = format === 'json-feed' ? [extracted] : [extracted, await readWithRssParser(text)]
        for (const entries of readings) {
          assert.deepEqual(
            entries.map(({ title, link, date, html }) => ({ title, link, date, html })),
            expected.map(({ title, url, date, html }) => ({ title: clean(title), link: url, date, html: clean(html) })),
          )
          for (const { html = '' } of entries) assert.doesNotMatch(html, /<script|onerror/)
          ids.push(entries.map(({ id }) => id))
        }
        assert.match(readings[0]?.[0]?.html ?? '', new RegExp(`href="${host}/docs".*src="${host}/media/`))
      }
      for (const list of ids) assert.deepEqual(list, ids[0])
      for (const id of ids[0] as string[])
        assert.match(id, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    })
  }
})
