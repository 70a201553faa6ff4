import assert from 'node:assert/strict'
import { cp, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../kit/folder.ts'
import { tinyPng } from '../../kit/pictures.ts'
import { ROOT } from '../../kit/root.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'

const PAGES = [
  '/',
  '/a/fox/Ada',
  '/playground',
  '/v5-access',
  '/operator',
  '/docs/guides',
  '/docs/guides/filters',
  '/docs/guides/avatars',
  '/docs/search?q=blur',
]

async function copyContent(t: TestContext): Promise<string> {
  const dir = join(await temporaryFolder(t), 'content')
  await cp(join(ROOT, 'content'), dir, { recursive: true })
  return dir
}

describe('the pages of a service with default settings', () => {
  const service = forSuite((scope) => startTestService(scope))

  it('every page is HTML without inline scripts and styles, loads only from its host, and has a strict policy', async () => {
    const { fetchPath } = service()
    for (const path of PAGES) {
      const reply = await fetchPath(path)
      const page = await reply.text()
      assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8')
      const policy = reply.headers.get('content-security-policy') ?? ''
      assert.match(policy, /default-src 'none'/)
      assert.doesNotMatch(policy, /unsafe|https?:|\*/)
      assert.doesNotMatch(page, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|javascript:/)
      for (const [, address = ''] of page.matchAll(
        /<(?:script|link(?! rel="(?:canonical|alternate)")|img)[^>]* (?:src|href)="([^"]*)"/g,
      )) {
        assert.doesNotMatch(address, /^(?:https?:)?\//, `${path} loads ${address}`)
      }
    }
  })

  it('scripts and styles are cached forever under the URL with their digest only', async () => {
    const { fetchPath } = service()
    const page = await (await fetchPath('/')).text()
    const address = /href="(site\/site\.css\?v=[\w-]+)"/.exec(page)?.[1]
    assert.match((await fetchPath(`/${address}`)).headers.get('cache-control') ?? '', /immutable/)
    assert.doesNotMatch((await fetchPath('/site/site.css?v=older')).headers.get('cache-control') ?? '', /immutable/)
    assert.equal((await fetchPath('/site/package.json')).status, 404)
  })

  it('the font is preloaded, cached forever, and served with its licence', async () => {
    const { fetchPath } = service()
    const page = await (await fetchPath('/a/fox/Ada')).text()
    const address = /<link rel="preload" href="[./]*(site\/nunito\.woff2\?v=[\w-]+)" as="font"/.exec(page)?.[1] ?? ''
    const font = await fetchPath(`/${address}`)
    assert.equal(font.headers.get('content-type'), 'font/woff2')
    assert.match(font.headers.get('cache-control') ?? '', /immutable/)
    assert.ok((await font.arrayBuffer()).byteLength < 40_000)
    const style = await (await fetchPath('/site/site.css?v=')).text()
    assert.ok(style.includes(address.slice('site/'.length)), 'the stylesheet names the same URL')
    assert.match(await (await fetchPath('/docs/docs.css')).text(), /\.\.\/site\/nunito\.woff2\?v=[\w-]+/)
    assert.match(await (await fetchPath('/site/nunito-license.txt?v=')).text(), /SIL OPEN FONT LICENSE Version 1\.1/)
  })

  it('the worker of the playground may compile WebAssembly, and load and send nothing', async () => {
    const { fetchPath } = service()
    const page = await (await fetchPath('/playground')).text()
    const address = /data-worker="(site\/playground-worker\.js\?v=[\w-]+)"/.exec(page)?.[1]
    const policy = (await fetchPath(`/${address}`)).headers.get('content-security-policy')
    assert.equal(policy, "default-src 'none'; script-src 'wasm-unsafe-eval'; frame-ancestors 'none'")
  })

  it('the playground shows the same pictures on every visit, so that caches have them', async () => {
    const { fetchPath } = service()
    const [first, second] = await Promise.all(
      ['/playground', '/playground?steps=invert'].map(async (path) =>
        [...(await (await fetchPath(path)).text()).matchAll(/data-sample="[^"]*\/(media\/[^"]*)"/g)].map(
          ([, url]) => url,
        ),
      ),
    )
    assert.ok(first && first.length >= 6)
    assert.deepEqual(second, first)
  })

  it('unknown kinds and markup in the query are harmless', async () => {
    const { fetchPath } = service()
    assert.equal((await fetchPath('/?animal=%22%3E%3Cscript%3E&kaomoji=nope')).status, 200)
    const page = await (
      await fetchPath('/playground?image=%22%3E%3Cscript%3E&steps=%22%3E%3Cb%3E,blur:%22%3E&width=%22%3E')
    ).text()
    assert.doesNotMatch(page, /"><script>|"><b>/)
    assert.match(page, /value="&quot;&gt;&lt;script&gt;"/)
  })

  it('llms.txt lists endpoints and guides that exist', async () => {
    const { fetchPath, url } = service()
    const text = await (await fetchPath('/llms.txt')).text()
    const links = [...text.matchAll(/\]\((.*?)\)/g)].map(([, link = '']) => link.slice(url.length))
    assert.ok(links.includes('/docs/guides/avatars') && links.includes('/openapi.json'))
    for (const link of links) assert.equal((await fetchPath(link)).status, 200, link)
    assert.ok(text.includes(`\`GET ${url}/api/v2/random/animal/{kind}\``))
    assert.ok(text.includes(`\`GET ${url}/api/v2/filter/{kind}\``))
    assert.doesNotMatch(text, /\/operator/)
  })

  it('robots.txt excludes the API', async () => {
    const { fetchPath } = service()
    const reply = await fetchPath('/robots.txt')
    assert.equal(reply.headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.match(await reply.text(), /^User-agent: \*\nDisallow: \/api\/\n/)
  })

  it('there is no security.txt without SECURITY_CONTACT', async () => {
    assert.equal((await service().fetchPath('/.well-known/security.txt')).status, 404)
  })

  it('pages, scripts, drawings and the OpenAPI document are compressed for clients that accept it', async () => {
    const { fetchPath } = service()
    const paths = [
      '/docs/scalar.js',
      '/docs/guides',
      '/docs/guides/limits',
      '/openapi.json',
      '/media/animals/fox/~b.svg',
    ]
    const read = async (path: string, acceptEncoding: string, more: Record<string, string> = {}) => {
      const reply = await fetchPath(path, { headers: { 'accept-encoding': acceptEncoding, ...more } })
      assert.match(reply.headers.get('vary') ?? '', /\bAccept-Encoding\b/, path)
      const encoding = reply.headers.get('content-encoding')
      return { status: reply.status, encoding, etag: reply.headers.get('etag') ?? '', text: await reply.text() }
    }
    for (const path of paths) {
      const plain = await read(path, 'identity, br;q=0')
      assert.equal(plain.encoding, null)
      for (const encoding of ['br', 'gzip']) {
        const compressed = await read(path, `deflate, ${encoding}`)
        assert.deepEqual([compressed.encoding, compressed.text === plain.text], [encoding, true], path)
        assert.notEqual(compressed.etag, plain.etag)
        assert.equal((await read(path, encoding, { 'if-none-match': compressed.etag })).status, 304)
        assert.equal(
          (await read(path, encoding, { 'if-none-match': plain.etag })).status,
          path.startsWith('/media') ? 304 : 200,
        )
      }
    }
    assert.equal((await fetchPath('/docs/..%2fpackage.json')).status, 404)
  })
})

test('all scripts and styles of the pages together are under 100 KB compressed', async () => {
  const dir = join(ROOT, 'build', 'site')
  const packed = (await readdir(dir)).filter((name) => name.endsWith('.br') && !/^(scalar|docs|artist)\./.test(name))
  const sizes = await Promise.all(packed.map(async (name) => (await stat(join(dir, name))).size))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  assert.ok(packed.length >= 5 && total < 100_000, `${total} bytes in ${packed}`)
})

test("the page shows the operator's kinds, and escapes the text of their files", async (t) => {
  const dir = await copyContent(t)
  await mkdir(join(dir, 'animals', 'axolotl'))
  await writeFile(join(dir, 'animals', 'axolotl', 'one.png'), tinyPng(7))
  await writeFile(join(dir, 'kaomoji', 'odd.txt'), '<img src=x onerror=alert(1)>\n\u202eab\u202c"\'&amp;\n')
  await writeFile(
    join(dir, 'yt-video', 'hl-cats.yaml'),
    '- id: J---aiyznGQ\n  title: "</a><script>alert(1)</script>"\n',
  )
  const { fetchPath } = await startTestService(t, { CONTENT_DIR: dir })
  const page = await (await fetchPath('/?animal=axolotl&kaomoji=odd')).text()
  assert.match(page, /<a href="\?animal=axolotl#animal-title" data-kind="axolotl" aria-current="true">/)
  assert.match(page, /<img src="media\/animals\/axolotl\/[\w.-]+"/)
  assert.match(page, /<bdi>&lt;img src=x onerror=alert\(1\)&gt;<\/bdi>/)
  assert.match(page, /&lt;\/a&gt;&lt;script&gt;/)
  assert.doesNotMatch(page, /<script>|<img src=x/)
})

test('absolute URLs on the pages start with PUBLIC_URL; links within the site are relative', async (t) => {
  const { fetchPath } = await startTestService(t, { PUBLIC_URL: 'https://pets.example/api-of-pets' })
  const page = await (await fetchPath('/?animal=cat')).text()
  assert.match(page, /curl '<span data-url>https:\/\/pets\.example\/api-of-pets\/api\/v2\/random\/animal\/cat</)
  assert.match(page, /<img src="media\/animals\/cat\//)
})

test('security.txt names the contacts, the languages and its own URL, and is valid for less than a year', async (t) => {
  const { fetchPath, fetchJson } = await startTestService(t, {
    PUBLIC_URL: 'https://pets.example',
    SECURITY_CONTACT: 'security@pets.example, https://pets.example/report',
    SECURITY_LANGUAGES: 'en,de',
  })
  const reply = await fetchPath('/.well-known/security.txt')
  assert.equal(reply.headers.get('content-type'), 'text/plain; charset=utf-8')
  const lines = (await reply.text()).split('\n')
  const expires = Date.parse(lines.find((line) => line.startsWith('Expires: '))?.slice('Expires: '.length) ?? '')
  assert.ok(expires > Date.now() + 90 * 86_400_000 && expires < Date.now() + 365 * 86_400_000, lines.join('\n'))
  assert.deepEqual(
    lines.filter((line) => !line.startsWith('Expires: ')),
    [
      'Contact: mailto:security@pets.example',
      'Contact: https://pets.example/report',
      'Preferred-Languages: en, de',
      'Canonical: https://pets.example/.well-known/security.txt',
      '',
    ],
  )
  const { body } = await fetchJson('/openapi.json')
  assert.ok(body.paths['/.well-known/security.txt'].get)
})
