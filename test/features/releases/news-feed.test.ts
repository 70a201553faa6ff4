import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAtomFeed, parseJsonFeed, parseRssFeed } from 'feedsmith'
import { BASE, news, openTestReleases } from '../../kit/releases.ts'
import { findChildren, findOnlyChild, parseXml, type XmlElement } from '../../kit/xml.ts'

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const RFC822 =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/
const hostile = [
  '<img src=x onerror=alert(1)>',
  ']]> & &amp; &nosuch;',
  'control \u0000\u0008\u000b\u001f characters',
  'half a pair \ud800 and \udc00, a whole one 🐈',
  '"quotes" and \'apostrophes\'',
  '\uffff\ufffe',
]
const files = Object.fromEntries(
  hostile.map((title, index) => [
    `news/n${index}.md`,
    news(title, `2026-01-0${index + 1}T10:00:00+01:00`, `Body <b>${title}</b>`),
  ]),
)
const isAbsolute = (text: string) => assert.ok(URL.canParse(text), text)
const unique = (values: string[]) => assert.equal(new Set(values).size, values.length)
const textOf = (parent: XmlElement, name: string) => findOnlyChild(parent, name).text

test('the Atom feed is well-formed and complete by RFC 4287, whatever the titles contain', async (t) => {
  const { releases } = await openTestReleases(t, files)
  const { type, text } = await releases.newsFeed(BASE, 'atom')
  assert.match(type, /^application\/atom\+xml/)
  const feed = parseXml(text)
  assert.deepEqual([feed.name, feed.attributes], ['feed', { xmlns: 'http://www.w3.org/2005/Atom', 'xml:lang': 'en' }])
  isAbsolute(textOf(feed, 'id'))
  assert.ok(textOf(feed, 'title'))
  assert.match(textOf(feed, 'updated'), RFC3339)
  assert.ok(textOf(findOnlyChild(feed, 'author'), 'name'))
  const self = findChildren(feed, 'link').find(({ attributes }) => attributes.rel === 'self')
  assert.equal(self?.attributes.href, `${BASE}/launcher/news?format=atom`)
  const entries = findChildren(feed, 'entry')
  assert.equal(entries.length, hostile.length)
  unique(entries.map((entry) => textOf(entry, 'id')))
  for (const entry of entries) {
    isAbsolute(textOf(entry, 'id'))
    assert.match(textOf(entry, 'updated'), RFC3339)
    assert.equal(findOnlyChild(entry, 'content').attributes.type, 'html')
    assert.doesNotMatch(findOnlyChild(entry, 'content').text, /onerror=|<script/)
    isAbsolute(findOnlyChild(entry, 'link').attributes.href ?? '')
  }
  assert.equal(textOf(entries.at(-1)!, 'title'), hostile[0])
  assert.equal(textOf(entries.at(-2)!, 'title'), hostile[1])
})

test('the RSS feed is well-formed and complete by RSS 2.0, whatever the titles contain', async (t) => {
  const { releases } = await openTestReleases(t, files)
  const { type, text } = await releases.newsFeed(BASE, 'rss')
  assert.match(type, /^application\/rss\+xml/)
  const rss = parseXml(text)
  assert.deepEqual([rss.name, rss.attributes.version], ['rss', '2.0'])
  const channel = findOnlyChild(rss, 'channel')
  for (const name of ['title', 'description']) assert.ok(textOf(channel, name), name)
  isAbsolute(textOf(channel, 'link'))
  assert.match(textOf(channel, 'lastBuildDate'), RFC822)
  assert.equal(findOnlyChild(channel, 'atom:link').attributes.href, `${BASE}/launcher/news?format=rss`)
  const items = findChildren(channel, 'item')
  assert.equal(items.length, hostile.length)
  unique(items.map((item) => textOf(item, 'guid')))
  for (const item of items) {
    assert.equal(findOnlyChild(item, 'guid').attributes.isPermaLink, 'false')
    assert.match(textOf(item, 'pubDate'), RFC822)
    isAbsolute(textOf(item, 'link'))
    assert.doesNotMatch(textOf(item, 'description'), /onerror=|<script/)
  }
})

test('the JSON Feed has the fields of version 1.1', async (t) => {
  const { releases } = await openTestReleases(t, files)
  const { type, text } = await releases.newsFeed(BASE, 'json-feed')
  assert.match(type, /^application\/feed\+json/)
  const feed = JSON.parse(text)
  assert.equal(feed.version, 'https://jsonfeed.org/version/1.1')
  assert.equal(typeof feed.title, 'string')
  isAbsolute(feed.home_page_url)
  assert.equal(feed.feed_url, `${BASE}/launcher/news?format=json-feed`)
  unique(feed.items.map(({ id }: { id: string }) => id))
  for (const item of feed.items) {
    assert.equal(typeof item.id, 'string')
    assert.equal(typeof item.content_html, 'string')
    isAbsolute(item.url)
    assert.match(item.date_published, RFC3339)
  }
  assert.equal(feed.items.at(-1).title, hostile[0])
})

test('a feed parser finds the same news in all three formats', async (t) => {
  const files = {
    'news/a.md': news('Ein & zwei', '2026-01-02'),
    'news/b.md': news('<b>', '2026-01-03T10:00:00Z', '*Hi*'),
  }
  const { releases } = await openTestReleases(t, files)
  const expected = releases.news(BASE).news.map(({ title, date, url, html }) => ({ title, date, url, html }))
  const time = (text = '') => new Date(text).toISOString()
  const atom = parseAtomFeed((await releases.newsFeed(BASE, 'atom')).text).entries?.map((entry) => ({
    title: entry.title?.value,
    date: time(entry.updated),
    url: entry.links?.[0]?.href,
    html: entry.content?.value,
  }))
  const rss = parseRssFeed((await releases.newsFeed(BASE, 'rss')).text).items?.map((item) => ({
    title: item.title,
    date: time(item.pubDate),
    url: item.link,
    html: item.description,
  }))
  const json = parseJsonFeed((await releases.newsFeed(BASE, 'json-feed')).text).items?.map((item) => ({
    title: item.title,
    date: time(item.date_published),
    url: item.url,
    html: item.content_html,
  }))
  assert.deepEqual(atom, expected)
  assert.deepEqual(rss, expected)
  assert.deepEqual(json, expected)
})

test('feeds name the language and the picture of each item', async (t) => {
  const { releases } = await openTestReleases(t, {
    'news/a.md': news('A').replace('---\n', '---\nimage: https://x.example/a.png?b&c\n'),
    'news/a.de.md': '---\ntitle: A-de\n---\n',
    'news/b.md': news('B', '2025-01-01'),
  })
  const atom = parseXml((await releases.newsFeed(BASE, 'atom', 'de')).text)
  const [entry] = findChildren(atom, 'entry')
  assert.deepEqual(
    findChildren(atom, 'entry').map(({ attributes }) => attributes['xml:lang']),
    ['de', 'en'],
  )
  assert.equal(findOnlyChild(entry!, 'media:thumbnail').attributes.url, 'https://x.example/a.png?b&c')
  const self = findChildren(atom, 'link').find(({ attributes }) => attributes.rel === 'self')
  assert.equal(self?.attributes.href, `${BASE}/launcher/news?format=atom&lang=de`)
  const json = JSON.parse((await releases.newsFeed(BASE, 'json-feed', 'de')).text)
  assert.deepEqual([json.language, json.items[0].language, json.items[1].language], [undefined, 'de', 'en'])
  assert.equal(json.items[0].image, 'https://x.example/a.png?b&c')
  const channel = findOnlyChild(parseXml((await releases.newsFeed(BASE, 'rss')).text), 'channel')
  assert.equal(textOf(channel, 'language'), 'en')
  const [item] = findChildren(channel, 'item')
  assert.equal(findOnlyChild(item!, 'media:thumbnail').attributes.url, 'https://x.example/a.png?b&c')
})

test('feeds without news are valid', async (t) => {
  const { releases } = await openTestReleases(t, {})
  assert.match(textOf(parseXml((await releases.newsFeed(BASE, 'atom')).text), 'updated'), RFC3339)
  assert.equal(
    findChildren(findOnlyChild(parseXml((await releases.newsFeed(BASE, 'rss')).text), 'channel'), 'item').length,
    0,
  )
  assert.deepEqual(JSON.parse((await releases.newsFeed(BASE, 'json-feed')).text).items, [])
})

test('feeds contain the newest 50 items, the JSON reply contains all', async (t) => {
  const many = Array.from({ length: 60 }, (_, n) => [
    `news/n${n}.md`,
    news(`N${n}`, `2026-01-01T10:00:${String(n).padStart(2, '0')}Z`),
  ])
  const { releases } = await openTestReleases(t, Object.fromEntries(many))
  assert.equal(releases.news(BASE).news.length, 60)
  const entries = findChildren(parseXml((await releases.newsFeed(BASE, 'atom')).text), 'entry')
  assert.deepEqual([entries.length, textOf(entries[0]!, 'title'), textOf(entries[49]!, 'title')], [50, 'N59', 'N10'])
})
