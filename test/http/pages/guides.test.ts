import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { describe } from '../../../packages/artist/src/index.ts'
import { readGuides } from '../../../scripts/build-guides.ts'
import { filters } from '../../../src/features/filters/index.ts'
import { listAllErrors } from '../../../src/http/api/api-description.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { tinyPng } from '../../kit/pictures.ts'
import { ROOT } from '../../kit/root.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'

const GUIDES = [
  'getting-started',
  'filters',
  'avatars',
  'chats',
  'versions',
  'errors',
  'limits',
  'v5-policy',
  'updates',
]
const service = forSuite((scope) => startTestService(scope))
const at = (name: string) => `/docs/guides/${name}`

/** The visible text of a page. */
const textOf = (page: string) =>
  page
    .replace(/<wbr>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')

test('every guide has a description and an ETag, and links to the next one', async () => {
  const { fetchPath } = service()
  const index = await (await fetchPath('/docs/guides')).text()
  assert.deepEqual(
    [...index.matchAll(/<h2><a href="guides\/([\w-]+)"/g)].map(([, name]) => name),
    GUIDES,
  )
  for (const [nth, name] of GUIDES.entries()) {
    const reply = await fetchPath(at(name))
    const page = await reply.text()
    assert.equal(reply.status, 200)
    assert.match(page, /<meta name="description" content="[^"]{30,}">/)
    assert.doesNotMatch(page, /\{base\}|\{app\}|undefined/)
    const link = (rel: string) => new RegExp(`rel="${rel}" href="([\\w-]+)"`).exec(page)?.[1]
    assert.deepEqual([link('prev'), link('next')], [GUIDES[nth - 1], GUIDES[nth + 1]])
    const known = { 'If-None-Match': reply.headers.get('etag') ?? '' }
    assert.equal((await fetchPath(at(name), { headers: known })).status, 304)
  }
})

test('the first guide shows the picture of its example, described as the artist describes it', async () => {
  const { fetchPath } = service()
  const page = await (await fetchPath(at('getting-started'))).text()
  const [, seed = '', alt] = /<img src="[./]+media\/animals\/cat\/~(\w+)\.webp" alt="([^"]+)"/.exec(page) ?? []
  const { alt: drawn, tags } = describe('cat', seed)
  assert.equal(alt, drawn)
  const text = textOf(page)
  for (const part of [`"id": "~${seed}"`, `"alt": "${drawn}"`, ...tags.map((tag) => `"${tag}"`)]) {
    assert.ok(text.includes(part), part)
  }
})

test('a guide with more than four headings lists them, with links that lead to them', async () => {
  const { fetchPath } = service()
  let lists = 0
  for (const name of GUIDES) {
    const page = await (await fetchPath(at(name))).text()
    const headings = [...page.matchAll(/<h2 id="([\w-]+)">.*?<a class="anchor" href="#([\w-]+)"/g)]
    for (const [, id, anchor] of headings) assert.equal(anchor, id)
    const contents = /<nav class="contents"[\s\S]*?<\/nav>/.exec(page)?.[0] ?? ''
    const links = [...contents.matchAll(/href="#([\w-]+)"/g)].map(([, id]) => id)
    assert.deepEqual(links, headings.length > 4 ? headings.map(([, id]) => id) : [], name)
    if (links.length > 0) lists++
  }
  assert.ok(lists >= 5)
})

test('the search finds guides, endpoints, filters and error codes', async () => {
  const { fetchPath } = service()
  const find = async (query: string) => {
    const page = await (await fetchPath(`/docs/search?q=${encodeURIComponent(query)}`)).text()
    const results = /<ol data-results>[\s\S]*?<\/ol>/.exec(page)?.[0] ?? ''
    return { page, links: [...results.matchAll(/<li><a href="([^"]+)">/g)].map(([, href]) => href) }
  }
  assert.equal(
    (await find('several at once')).links[0],
    'guides/getting-started#several-at-once-and-repeatable-choices',
  )
  assert.equal(
    (await find('random kaomoji')).links[0],
    '../docs#tag/random-content-v2/GET/api/v2/random/kaomoji/{kind}',
  )
  assert.ok((await find('BLUR strength')).links.includes('guides/filters#all-filters'))
  assert.equal((await find('image_too_large')).links[0], 'guides/errors#all-codes')
  assert.ok((await find('a')).links.length <= 20)
  for (const query of ['', '…', 'nothing-has-this-word', '"><script>alert(1)</script>', '(.*)+$ \\']) {
    const { page, links } = await find(query)
    assert.deepEqual(links, [], query)
    assert.doesNotMatch(page, /"><script>/)
  }
  assert.equal((await fetchPath(`/docs/search?q=${'x'.repeat(101)}`)).status, 400)
})

test('an unknown guide gets the JSON error', async () => {
  const { fetchJson } = service()
  const { status, body } = await fetchJson(at('..%2f..%2fpackage'))
  assert.deepEqual([status, body.code], [404, 'UNKNOWN_FILE'])
  assert.match(body.message, /See \/docs\/guides\./)
})

test('every request in a guide gets the reply that the guide describes', async () => {
  const { fetchPath, url } = service()
  let shown = 0
  for (const name of GUIDES) {
    const page = await (await fetchPath(at(name))).text()
    for (const [, what, address = ''] of page.matchAll(/<code>curl( -o picture)? '<span data-url>([^<]+)</g)) {
      const reply = await fetchPath(address.replaceAll('&amp;', '&').slice(url.length))
      assert.equal(reply.status, 200, address)
      assert.match(reply.headers.get('content-type') ?? '', what ? /^image\// : /^application\/json/, address)
      shown++
    }
  }
  assert.ok(shown >= 7, String(shown))
})

test('tables list the kinds, filters, errors and endpoints of the service', async () => {
  const { fetchPath, fetchJson } = service()
  const textAt = async (name: string) => textOf(await (await fetchPath(at(name))).text())
  const { paths } = (await fetchJson('/openapi.json')).body
  const starts = [...(await textAt('getting-started')).matchAll(/(\/api\/v[12]\/[\w/-]+\/)\{kind\}/g)]
  assert.equal(starts.length, 7)
  for (const [, start = ''] of starts)
    assert.ok(
      Object.keys(paths).some((path) => path.startsWith(`${start}{`)),
      start,
    )
  const filterText = await textAt('filters')
  for (const { name, strength, summary } of filters) {
    const row = strength ? `${name} ${strength.min} to ${strength.max} ${strength.default}` : `${name} none`
    assert.ok(filterText.includes(row), row)
    assert.ok(filterText.includes(summary), summary)
  }
  const errorText = await textAt('errors')
  for (const { code, status, summary } of listAllErrors()) {
    assert.ok(errorText.includes(`${code} ${status} ${summary}`), code)
  }
  const versions = await textAt('versions')
  for (const path of ['/api/v1/kaomoji/{kind}', '/api/v2/random/yt-video/{kind}', '/api/v5/app/launcher/updates']) {
    assert.ok(versions.includes(path), path)
  }
  assert.ok(!versions.includes('/operator/'))
})

test('limits, kinds and access are those of the settings', async (t) => {
  const dir = await temporaryFolder(t)
  await mkdir(join(dir, 'animals', 'axolotl'), { recursive: true })
  await writeFile(join(dir, 'animals', 'axolotl', 'one.png'), tinyPng(7))
  const { fetchPath } = await startTestService(t, {
    CONTENT_DIR: dir,
    RATE_LIMIT: '77/9',
    RATE_LIMIT_FILTERS: 'off',
    FILTER_MAX_PIXELS: '123456',
    FILTER_TIMEOUT_MS: '2500',
    V5_ACCESS: 'registered',
    APP_NAME: 'lantern',
    PUBLIC_URL: 'https://pets.example/of',
  })
  const textAt = async (name: string) => textOf(await (await fetchPath(at(name))).text())
  const limits = await textAt('limits')
  assert.match(limits, /image filters no limit .* all other requests 77 in 9 s "requests";q=77;w=9/)
  assert.match(limits, /pixels of all its frames 123,456 .* time to fetch it 2\.5 s/)
  assert.match(await textAt('getting-started'), /animals\/\{kind\} [^/]*axolotl/)
  assert.match(await textAt('getting-started'), /curl ' https:\/\/pets\.example\/of\/api\/v2\/random\/animal\/cat '/)
  assert.match(await textAt('v5-policy'), /product, lantern : .* Registered clients only\./)
  const open = await startTestService(t, { RATE_LIMIT: 'off' })
  assert.match(textOf(await (await open.fetchPath(at('v5-policy'))).text()), /Currently open\./)
  assert.match(textOf(await (await open.fetchPath(at('limits'))).text()), /all other requests no limit/)
})

test('HTML in a text is shown as text', async (t) => {
  const dir = await temporaryFolder(t)
  const text = 'An <b onclick="x">odd</b> [link](</a"b>)\n\n<script>alert(1)</script>\n\n```html\n<img src="x">\n```\n'
  await writeFile(join(dir, 'odd.md'), `---\norder: 1\ntitle: Odd\ndescription: Odd things.\n---\n${text}`)
  const [guide] = await readGuides(dir)
  const html = guide?.parts.map((part) => ('html' in part ? part.html : '')).join('') ?? ''
  assert.doesNotMatch(html, /<script|<b |<img|"b>/)
  assert.match(html, /&lt;img src=&quot;x&quot;>/)
})

test('the built guides match their sources', async () => {
  const built = JSON.parse(readFileSync(join(ROOT, 'build', 'site', 'guides.json'), 'utf8'))
  assert.deepEqual(built, await readGuides(join(ROOT, 'src', 'http', 'pages', 'guides', 'texts')))
})
