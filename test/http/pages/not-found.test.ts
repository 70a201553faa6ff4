// The page of a 404, and pictures that a browser opens as a page.
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { skipWithoutBrowser } from '../../kit/browser.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'
import {
  assertAccessible,
  assertClean,
  assertFits,
  assertStylesAccessible,
  FAILED_REQUEST_MESSAGE,
  phone,
  startVisit,
} from './visit.ts'

const BROWSER_ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

describe('an unknown path', () => {
  const service = forSuite((scope) => startTestService(scope))
  const open = (path: string, headers: Record<string, string> = { 'sec-fetch-dest': 'document' }) =>
    fetch(service().url + path, { headers: { accept: BROWSER_ACCEPT, ...headers } })
  const readPage = async (path: string) => (await open(path)).text()

  it('is a page for a browser, over plain HTTP too, and JSON for everything else', async () => {
    const page = await open('/nope')
    assert.equal(page.status, 404)
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal(page.headers.get('cache-control'), 'no-store')
    assert.equal(page.headers.get('vary'), 'Accept, Sec-Fetch-Dest, Accept-Encoding')
    assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self'/)
    assert.match(await page.text(), /&quot;code&quot;: &quot;UNKNOWN_PATH&quot;/)
    assert.match((await open('/nope', {})).headers.get('content-type') ?? '', /^text\/html/)

    const programs: Record<string, string>[] = [
      { accept: '*/*' },
      { accept: 'application/json, text/html;q=0.9' },
      { 'sec-fetch-dest': 'empty' },
      { 'sec-fetch-dest': 'image' },
    ]
    for (const headers of programs) {
      const reply = await open('/nope', headers)
      assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
      assert.equal(reply.headers.get('vary'), null)
      const { requestId, ...body } = (await reply.json()) as Record<string, unknown>
      assert.deepEqual(body, {
        success: false,
        status: 404,
        code: 'UNKNOWN_PATH',
        message: 'This path does not exist. /docs lists all endpoints.',
      })
    }
  })

  it('is JSON for a POST, and for an endpoint of the API', async () => {
    const post = await fetch(`${service().url}/nope`, { method: 'POST', headers: { accept: BROWSER_ACCEPT } })
    assert.match(post.headers.get('content-type') ?? '', /json/)
    const endpoint = await open('/api/v2/random/animal/unicorn')
    assert.equal(endpoint.status, 404)
    assert.match(endpoint.headers.get('content-type') ?? '', /json/)
    assert.match((await open('/api/v7/animals')).headers.get('content-type') ?? '', /^text\/html/)
  })

  it('names the path as text: escaped, percent-encoded and shortened', async () => {
    const page = await readPage(`/'><script>alert(1)</script>`)
    assert.doesNotMatch(page, /<script>|'>/)
    const right = await readPage('/%E2%80%AEgnp.exe')
    assert.match(right, /<code>\/%E2%80%AEgnp\.exe<\/code>/)
    assert.doesNotMatch(right, /\u202e/)
    const longest = await readPage(`/${'a/'.repeat(4000)}`)
    assert.ok(longest.length < 12_000, `${longest.length} characters`)
  })

  it('suggests the nearest page, and links to it from any depth', async () => {
    const nearest = async (path: string) =>
      /Did you mean <a href="([^"]+)">([^<]+)</.exec(await readPage(path))?.slice(1)
    assert.deepEqual(await nearest('/Playground/'), ['../playground', '/playground'])
    assert.deepEqual(await nearest('/playgruond'), ['./playground', '/playground'])
    assert.deepEqual(await nearest('/doc/guide'), ['../docs/guides', '/docs/guides'])
    assert.deepEqual(await nearest('/api/v1/animals'), ['../../api/v1/animals/cat', '/api/v1/animals/cat'])
    assert.equal(await nearest('/wp-login.php'), undefined)
    assert.equal(await nearest('/javascript:alert(1)'), undefined)
  })

  it('has one of a few drawings, always the same one', async () => {
    const drawingOf = async (path: string) =>
      /<img src="[./]*(media\/animals\/\w+\/~lost-\d+\.svg)"/.exec(await readPage(path))?.[1]
    const drawings = await Promise.all(Array.from({ length: 60 }, (_, i) => drawingOf(`/path-${i}`)))
    const names = new Set(drawings)
    assert.ok(!names.has(undefined) && names.size > 12 && names.size <= 24, `${names.size} drawings`)
    assert.equal(await drawingOf('/path-1'), drawings[1])
    assert.equal((await service().fetchPath(`/${drawings[0]}`)).status, 200)
  })

  it('a drawing has the same bytes and is cached for every other destination than a window', async () => {
    const path = '/media/animals/cat/~a.svg'
    const file = await service().fetchPath(path)
    assert.equal(file.headers.get('vary'), 'Sec-Fetch-Dest, Accept-Encoding')
    assert.match(file.headers.get('cache-control') ?? '', /immutable/)
    const image = await open(path, { 'sec-fetch-dest': 'image' })
    assert.equal(await image.text(), await file.text())
    assert.equal((await open(path)).headers.get('cache-control'), 'no-store')
  })
})

describe('in a browser', { skip: skipWithoutBrowser }, () => {
  const visit = forSuite((scope) => startVisit(scope))
  afterEach(() => visit().closePages())

  it('the page of a 404 passes axe, fits, and leads back', async () => {
    const page = await visit().open('/some/%3Cplaygrounds%3E/', phone)
    await page.locator('.lost img').evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode())
    await assertAccessible(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await assertStylesAccessible(page)
    await page.locator('summary').click()
    await page.setViewportSize({ width: 320, height: 640 })
    await assertFits(page)
    await page.getByRole('link', { name: 'Front page' }).click()
    await page.waitForURL(`${visit().url}/`)
    assertClean(visit(), FAILED_REQUEST_MESSAGE)
  })

  for (const path of ['/media/animals/cat/~a.svg', '/media/animals/cat/~a.png', '/api/v2/random/animal/cat']) {
    it(`${path} is shown in the middle, without an error in the console`, async () => {
      const known = visit().consoleErrors.length
      const page = await visit().open(path, { width: 900, height: 700 })
      const box = await page.evaluate<{ left: number; right: number; top: number; bottom: number }>(
        "(document.querySelector('img') ?? document.documentElement).getBoundingClientRect().toJSON()",
      )
      assert.ok(box.right > box.left && box.bottom > box.top)
      assert.ok(
        Math.abs(box.left + box.right - 900) <= 1 && Math.abs(box.top + box.bottom - 700) <= 1,
        JSON.stringify(box),
      )
      assert.deepEqual(visit().consoleErrors.slice(known), [])
    })
  }

  it('an icon exists for pages that name none', async () => {
    const icon = await fetch(`${visit().url}/favicon.ico`)
    assert.equal(icon.headers.get('content-type'), 'image/png')
  })
})
