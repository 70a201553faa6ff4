import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { bundlePackage } from '../../../scripts/build-package.ts'
import { openBrowser, skipWithoutBrowser } from '../../kit/browser.ts'
import { DOCUMENTED_URL, readCodeBlocks } from '../../kit/code-blocks.ts'
import { ROOT } from '../../kit/root.ts'
import { forSuite, type Scope } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'
import { startSource } from '../../kit/source.ts'

const IMPORTS = '<script type="importmap">{"imports":{"@menagerie/client":"/client.js"}}</script>'

/** Pages of another origin than the service, as a user's own site is. */
async function startSite(t: Scope) {
  const scripts = new Map<string, string>([
    ['/client.js', Buffer.from(await bundlePackage('client', { minify: false })).toString()],
  ])
  const { url } = await startSource(t, ({ url: path = '' }, response) => {
    const script = scripts.get(path)
    if (script !== undefined) response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
    else response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Mine</title>${IMPORTS}`)
  })
  return { url: url('/'), put: (path: string, code: string) => scripts.set(path, code) }
}

describe('the client in a browser', { skip: skipWithoutBrowser }, () => {
  const open = forSuite(async (scope) => {
    const service = await startTestService(scope, { V5_ACCESS: 'open' })
    const site = await startSite(scope)
    const { context, consoleErrors } = await openBrowser(scope, site.url)
    return { service, site, context, consoleErrors }
  })

  /** Runs a module in a page and returns its export `result`. */
  async function run(code: string): Promise<any> {
    const { site, context } = open()
    site.put('/program.js', code)
    const page = await context.newPage()
    await page.goto(site.url)
    const result = await page.evaluate<unknown>("import('/program.js').then(({ result }) => result)")
    await page.close()
    return result
  }

  it('runs the examples of its README on a page of another origin', async () => {
    const blocks = await readCodeBlocks(join(ROOT, 'packages', 'client', 'README.md'))
    const forPages = blocks.filter(({ language, note }) => language === 'js' && note === '')
    assert.ok(forPages.length >= 7)
    for (const { code } of forPages) await run(code.replaceAll(DOCUMENTED_URL, open().service.url))
    const expected = /status of 404|ERR_ABORTED/
    assert.deepEqual(
      open().consoleErrors.filter((message) => !expected.test(message)),
      [],
    )
  })

  it('shows the animal of a name, or a random one, as an element', async () => {
    const { service, context, site } = open()
    const page = await context.newPage()
    await page.goto(site.url)
    await page.evaluate(`import('${service.url}/site/element.js')`)
    const show = (attributes: string) =>
      page.evaluate<{ src: string; alt: string; width: number }>(`(async () => {
        const element = document.createElement('menagerie-animal')
        for (const [name, value] of new URLSearchParams('${attributes}')) element.setAttribute(name, value)
        document.body.replaceChildren(element)
        const image = element.shadowRoot.querySelector('img')
        image.loading = 'eager'
        await new Promise((resolve, reject) => {
          image.onload = resolve
          element.addEventListener('error', ({ message }) => reject(message))
        })
        const { src, alt, width } = image
        return { src, alt, width }
      })()`)
    assert.deepEqual(await show('kind=fox&name=Zo%C3%AB%20%26%20%2F..&size=64&background=none'), {
      src: `${service.url}/media/animals/fox/~Zo%C3%AB%20%26%20%2F...svg?size=64&background=none`,
      alt: 'Zoë & /.. the fox',
      width: 64,
    })
    const random = await show('kind=dog')
    assert.ok(random.src.startsWith(`${service.url}/media/animals/dog/`))
    assert.match(random.alt, /^An? .{10,}/)
    assert.equal((await show(`kind=cat&name=Ada&alt=mine&service=${service.url}`)).alt, 'mine')
    await assert.rejects(show('kind=unicorn'), /There is no kind/)
    const late = await page.evaluate<string>(`(async () => {
      const { fetch } = globalThis
      const asked = Promise.withResolvers()
      const reply = Promise.withResolvers()
      globalThis.fetch = () => {
        asked.resolve()
        return reply.promise
      }
      const element = document.createElement('menagerie-animal')
      document.body.replaceChildren(element)
      await asked.promise
      element.setAttribute('name', 'Ada')
      await new Promise((resolve) => setTimeout(resolve))
      reply.resolve({ ok: true, json: async () => ({ message: '${service.url}/random.png', item: {} }) })
      await new Promise((resolve) => setTimeout(resolve))
      globalThis.fetch = fetch
      return element.shadowRoot.querySelector('img').src
    })()`)
    assert.match(late, /~Ada\.svg/)
    const again = await page.evaluate<string>(`(async () => {
      const { fetch } = globalThis
      globalThis.fetch = async () => { throw new Error('offline') }
      const element = document.createElement('menagerie-animal')
      document.body.replaceChildren(element)
      await new Promise((resolve) => element.addEventListener('error', resolve))
      const item = { alt: 'A wide cat', width: 400, height: 200 }
      const message = '${service.url}/media/animals/cat/~wide.svg'
      globalThis.fetch = async () => ({ ok: true, json: async () => ({ message, item }) })
      element.setAttribute('size', '64')
      const image = element.shadowRoot.querySelector('img')
      image.loading = 'eager'
      await new Promise((resolve) => { image.onload = resolve })
      globalThis.fetch = fetch
      return [image.src, image.alt, image.width, image.height].join(' ')
    })()`)
    assert.match(again, /~wide\.svg A wide cat 64 32$/)
    await assert.rejects(show('kind=unicorn&name=Ada'), /cannot be loaded/)
    await page.close()
  })

  it('reads the headers that CORS exposes, and decodes an image', async () => {
    const result = await run(`
      import { createClient } from '@menagerie/client'
      const menagerie = createClient('${open().service.url}', { clientKey: 'any' })
      const { message } = await menagerie.random.animal('cat', { type: 'png' })
      const { blob, cache, headers } = await menagerie.filter('invert', message)
      const bitmap = await createImageBitmap(blob)
      const { latest } = await menagerie.app().updates()
      const seen = ['etag', 'ratelimit-remaining', 'x-request-id'].map((name) => headers.get(name))
      export const result = { cache, timing: headers.get('server-timing'), width: bitmap.width, latest, seen }`)
    assert.deepEqual([result.cache, result.latest], ['miss', '1.0.0'])
    assert.ok(result.seen.every(Boolean), result.seen)
    assert.match(result.timing, /dur=/)
    assert.ok(result.width > 0)
  })

  it('waits as long as Retry-After on a page of another origin', async (t) => {
    const requests: number[] = []
    const flaky = await startSource(t as TestContext, (_, response) => {
      requests.push(performance.now())
      const status = requests.length === 1 ? 429 : 200
      response.writeHead(status, {
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'Retry-After',
        'retry-after': '1',
      })
      response.end(status === 200 ? '{"success":true,"message":"hi"}' : '{}')
    })
    const result = await run(`
      import { createClient } from '@menagerie/client'
      export const result = (await createClient('${flaky.url('')}').random.kaomoji('cat')).message`)
    assert.equal(result, 'hi')
    assert.ok((requests[1] ?? 0) - (requests[0] ?? 0) >= 998)
  })

  it('can be imported from every service', async () => {
    const result = await run(`
      import { createClient } from '${open().service.url}/site/client.js'
      export const result = (await createClient('${open().service.url}').random.string('8ball')).message`)
    assert.ok(result.length > 0)
  })
})
