import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { describe, it, test } from 'node:test'
import fc from 'fast-check'
import sharp from 'sharp'
import { describe as describeDrawing } from '../../../packages/artist/src/index.ts'
import {
  buildDrawingPath,
  buildFileName,
  buildSharePath,
  readName,
} from '../../../src/http/pages/shared/drawing-url.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { tinyPng } from '../../kit/pictures.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'

const decode = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** The content of the meta elements, by name or property. */
const metasIn = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<meta (?:name|property)="([^"]+)" content="([^"]*)"/g)].map(([, name = '', content = '']) => [
      name,
      decode(content),
    ]),
  )

const HOSTILE_NAMES = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "O'Brien",
  '../../../etc/passwd',
  'a/b',
  '%2e%2e%2f',
  '100%',
  'a?b#c&d=e',
  'x  y',
  'a.b',
  '~',
  '\u202egnp.exe',
  'محمد',
  '日本',
  '🦊👩‍👩‍👧',
  'é'.normalize('NFD'),
  '{{7*7}}',
  '&amp;',
  'x'.repeat(200),
]

/** How often `work` makes the artist describe a drawing. */
async function countDescriptions(work: () => Promise<unknown>): Promise<number> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true })
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  const artist = result.find(({ url }) => url.endsWith('/packages/artist/src/index.ts'))
  const called = artist?.functions.find(({ functionName }) => functionName === 'describe')
  return called?.ranges[0]?.count ?? 0
}

describe('share pages', () => {
  const service = forSuite((scope) => startTestService(scope))

  it('and the page of a 404 describe a drawing once, because it takes milliseconds', async () => {
    const open = async (path: string) =>
      (await fetch(service().url + path, { headers: { accept: 'text/html', 'sec-fetch-dest': 'document' } })).text()
    assert.equal(await countDescriptions(() => open('/a/fox/described-once')), 1)
    // The same path has the same animal.
    assert.equal(await countDescriptions(() => open('/lost')), 1)
    assert.equal(await countDescriptions(() => Promise.all(['/lost', '/lost', '/a/fox/described-once'].map(open))), 0)
  })

  it('has a card with absolute URLs, a picture of the announced size and its description', async () => {
    const { fetchPath, url } = service()
    const reply = await fetchPath('/a/fox/Zo%C3%AB')
    const page = await reply.text()
    const metas = metasIn(page)
    const { alt } = describeDrawing('fox', 'Zoë')
    assert.equal(reply.status, 200)
    assert.equal(metas['og:title'], 'Zoë the fox')
    assert.ok(metas['og:description']?.startsWith(`${alt}.`))
    assert.equal(metas['og:url'], `${url}/a/fox/Zo%C3%AB`)
    assert.equal(metas['og:image'], `${url}/media/animals/fox/~Zo%C3%AB.png?size=1024`)
    assert.deepEqual([metas['og:image:alt'], metas['twitter:image:alt']], [alt, alt])
    assert.equal(metas['twitter:card'], 'summary_large_image')
    assert.equal(metas.robots, 'noindex')
    assert.match(page, new RegExp(`<link rel="canonical" href="${url}/a/fox/Zo%C3%AB">`))
    assert.match(page, /<h1 id="share-title"><bdi>Zoë<\/bdi> the fox<\/h1>/)
    const picture = await fetch(metas['og:image'] ?? '')
    assert.equal(picture.headers.get('content-type'), metas['og:image:type'])
    const { width, height } = await sharp(Buffer.from(await picture.arrayBuffer())).metadata()
    assert.deepEqual([String(width), String(height)], [metas['og:image:width'], metas['og:image:height']])
  })

  it('without PUBLIC_URL, no shared cache stores a page with the host of a client', async () => {
    const { fetchPath } = service()
    const reply = await fetchPath('/a/fox/Ada')
    assert.match(reply.headers.get('cache-control') ?? '', /^private, max-age=60/)
    const etag = reply.headers.get('etag') ?? ''
    assert.equal((await fetchPath('/a/fox/Ada', { headers: { 'if-none-match': etag } })).status, 304)
  })

  it('any text is a safe name: the page shows it as text, and its picture exists', async () => {
    const { fetchPath, url } = service()
    for (const name of HOSTILE_NAMES) {
      const reply = await fetchPath(`/${buildSharePath('cat', name)}`)
      const page = await reply.text()
      assert.equal(reply.status, 200, name)
      assert.equal(decode(/<h1 id="share-title"[^>]*><bdi>([^<]*)<\/bdi> the cat<\/h1>/.exec(page)?.[1] ?? ''), name)
      assert.equal(page.match(/<script/g)?.length, 2, 'the scripts of the page only')
      assert.equal(page.match(/<img/g)?.length, 8, 'the pictures of the page only')
      assert.doesNotMatch(metasIn(page)['og:title'] ?? '', /\p{Bidi_Control}/u)
      const { alt } = describeDrawing('cat', name)
      assert.ok(page.includes(`alt="${alt}"`), 'the picture has exactly this name')
      const image = new URL(metasIn(page)['og:image'] ?? '')
      assert.equal(image.origin, url)
      assert.equal((await fetchPath(image.pathname)).status, 200, name)
    }
  })

  it('sites that embed links find the picture of any name by oEmbed', async () => {
    const { fetchPath, fetchJson, url } = service()
    for (const name of HOSTILE_NAMES) {
      const page = await (await fetchPath(`/${buildSharePath('cat', name)}`)).text()
      const link = decode(/<link rel="alternate" type="application\/json\+oembed" href="([^"]*)"/.exec(page)?.[1] ?? '')
      const { body } = await fetchJson(link.slice(url.length))
      assert.equal(body.url, `${url}/${buildDrawingPath({ kind: 'cat', name, size: 512, background: 'scene' }, 'png')}`)
    }
    const share = encodeURIComponent(`${url}/a/fox/Ada?background=none`)
    const { body } = await fetchJson(`/oembed?url=${share}&maxwidth=300&maxheight=100`)
    assert.deepEqual(
      [body.version, body.type, body.title, body.width, body.height],
      ['1.0', 'photo', 'Ada the fox', 100, 100],
    )
    assert.equal(body.url, `${url}/media/animals/fox/~Ada.png?size=100&background=none`)
    const { width } = await sharp(Buffer.from(await (await fetch(body.url)).arrayBuffer())).metadata()
    assert.equal(width, 100)
    const others = [
      'https://example.org/a/fox/Ada',
      `${url}/a/fox`,
      `${url}/a/unicorn/Ada`,
      `${url}/a/fox/%ff`,
      `${url}/`,
      'x',
    ]
    for (const other of others) {
      const { status } = await fetchJson(`/oembed?url=${encodeURIComponent(other)}`)
      assert.equal(status, 404, other)
    }
    const codes = ['/oembed', `/oembed?url=${share}&format=xml`, `/oembed?url=${share}&maxwidth=0`].map(
      async (path) => (await fetchJson(path)).body.code,
    )
    assert.deepEqual(await Promise.all(codes), Array(3).fill('INVALID_PARAMETER'))
  })

  it('a path that is no name gets the JSON error', async () => {
    const { fetchJson } = service()
    const codes = async (path: string) => {
      const { status, body } = await fetchJson(path)
      return [status, body.code]
    }
    assert.deepEqual(await codes('/a/unicorn/Ada'), [404, 'UNKNOWN_KIND'])
    assert.deepEqual(await codes('/a/constructor/Ada'), [404, 'UNKNOWN_KIND'])
    assert.deepEqual((await fetchJson('/a/unicorn/Ada')).body.allowed, ['cat', 'dog', 'fox', 'fish', 'alpaca', 'bird'])
    assert.deepEqual(await codes('/a/fox/%00'), [400, 'INVALID_PARAMETER'])
    assert.deepEqual(await codes('/a/fox/a%0D%0Ab'), [400, 'INVALID_PARAMETER'])
    assert.deepEqual(await codes(`/a/fox/${'x'.repeat(201)}`), [400, 'INVALID_PARAMETER'])
    assert.deepEqual(await codes(`/a/fox/${'x'.repeat(10_000)}`), [414, 'URI_TOO_LONG'])
    assert.deepEqual(await codes('/a/fox/%ff'), [400, 'BAD_PATH'])
    assert.deepEqual(await codes('/a/fox/Ada?size=65'), [400, 'INVALID_PARAMETER'])
  })

  it('the form leads to the page of the name', async () => {
    const { fetchPath } = service()
    const locationOf = async (query: string) => {
      const reply = await fetchPath(`/a?${query}`)
      assert.equal(reply.status, 303, query)
      return reply.headers.get('location')
    }
    assert.equal(await locationOf('kind=fox&name=ann'), 'a/fox/ann')
    assert.equal(await locationOf('name=ann'), 'a/cat/ann')
    assert.equal(await locationOf('name=ann&size=64&background=none'), 'a/cat/ann?size=64&background=none')
    assert.equal(await locationOf('kind=fox&name=+x+y%0d%0aSet-Cookie:+a '), 'a/fox/x%20y%20Set-Cookie%3A%20a')
    assert.equal(await locationOf('kind=fox&name=../..//evil.example'), 'a/fox/..%2F..%2F%2Fevil.example')
    assert.equal(await locationOf(`kind=fox&name=${'x'.repeat(4000)}`), `a/fox/${'x'.repeat(200)}`)
    assert.equal(await locationOf('kind=fox&name=%20'), './#avatar-title')
    assert.equal(await locationOf(''), './#avatar-title')
    assert.equal((await fetchPath('/a?kind=unicorn&name=ann')).status, 400)
    for (const name of ['.', '..']) {
      const page = await (await fetchPath(`/a?kind=fox&name=${name}`)).text()
      assert.equal(metasIn(page)['og:title'], `${name} the fox`, 'a browser would remove this segment from a path')
      assert.match(page, /<img src="media\/animals\/fox\/~/)
    }
  })

  it('links to the chosen size and background, and keeps them in the URL', async () => {
    const { fetchPath } = service()
    const page = await (await fetchPath('/a/fox/Ada?size=64&background=none')).text()
    assert.match(
      page,
      /href="\.\.\/\.\.\/media\/animals\/fox\/~Ada\.png\?size=64&amp;background=none" download="fox-Ada\.png"/,
    )
    assert.match(page, /href="\.\.\/\.\.\/a\/fox\/Ada\?size=128&amp;background=none#drawing"/)
    assert.match(page, /<img src="\.\.\/\.\.\/media\/animals\/fox\/~Ada\.svg\?background=none"/)
    assert.match(metasIn(page)['og:image'] ?? '', /~Ada\.png\?size=1024$/)
  })
})

test('with PUBLIC_URL, the card has this URL for every host, and shared caches may store the page', async (t) => {
  const { fetchPath } = await startTestService(t, { PUBLIC_URL: 'https://pets.example/zoo' })
  const reply = await fetchPath('/a/fox/Ada')
  assert.match(reply.headers.get('cache-control') ?? '', /^public, max-age=60/)
  const metas = metasIn(await reply.text())
  assert.equal(metas['og:image'], 'https://pets.example/zoo/media/animals/fox/~Ada.png?size=1024')
  assert.equal(metas['og:url'], 'https://pets.example/zoo/a/fox/Ada')
})

test("the operator's own pictures of a kind do not replace the drawings of names", async (t) => {
  const dir = await temporaryFolder(t)
  await mkdir(join(dir, 'animals', 'fox'), { recursive: true })
  await writeFile(join(dir, 'animals', 'fox', 'one.png'), tinyPng(7))
  const { fetchPath, fetchJson } = await startTestService(t, { CONTENT_DIR: dir })
  assert.doesNotMatch((await fetchJson('/api/v2/random/animal/fox')).body.message, /\/~/)
  const metas = metasIn(await (await fetchPath('/a/fox/Ada')).text())
  assert.equal(metas['og:image:alt'], describeDrawing('fox', 'Ada').alt)
  assert.equal((await fetch(metas['og:image'] ?? '')).status, 200)
})

const typedName = fc.string({ unit: 'binary', minLength: 1, maxLength: 250 })

test('every name that a person can type has a URL with exactly this name, in one segment', () => {
  fc.assert(
    fc.property(typedName, (typed) => {
      const name = readName(typed)
      assert.ok([...name].length <= 200)
      assert.doesNotMatch(name, /\p{Cc}/u)
      if (name === '') return
      const choice = { kind: 'fox', name, size: 512, background: 'scene' }
      const { pathname } = new URL(buildDrawingPath(choice, 'svg'), 'http://host/')
      assert.equal(decodeURIComponent(pathname), `/media/animals/fox/~${name}.svg`)
      assert.doesNotMatch(pathname, /['"()<>\\]/)
      const { pathname: page, searchParams } = new URL(buildSharePath('fox', name), 'http://host/')
      if (searchParams.has('name')) assert.equal(searchParams.get('name'), name)
      else assert.deepEqual(page.split('/').map(decodeURIComponent), ['', 'a', 'fox', name])
      assert.match(buildFileName(choice, 'png'), /^fox[^\\/:*?"<>|.\p{Cc}]*\.png$/u)
    }),
  )
})

test('half of a surrogate pair is a name, too', () => {
  assert.equal(readName('a\ud83e'), 'a\ufffd')
  assert.equal(buildSharePath('fox', 'a\ud83e'), 'a/fox/a%EF%BF%BD')
})
