import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DOCUMENTED_URL } from '../../kit/code-blocks.ts'
import { ROOT } from '../../kit/root.ts'
import { startTestService } from '../../kit/service.ts'

const decoded = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"')

const addressesIn = (page: string) =>
  [...page.matchAll(/<(?:a|link|script|img|form)\b[^>]*? (?:href|src|action)="([^"]*)"/g)].map(([, to = '']) =>
    decoded(to),
  )

/** Different values of the same query parameters lead to the same page. */
const keyOf = (address: string) => {
  const { origin, pathname, searchParams } = new URL(address)
  return `${origin}${pathname}?${[...searchParams.keys()]}`
}

const idsIn = (page: string) => new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))

interface Target {
  readonly status: number
  readonly ids: ReadonlySet<string | undefined> | undefined
}

test('every link leads to an existing page, and to an existing id on it', async (t) => {
  const { url } = await startTestService(t)
  const found = new Map<string, Target>()
  const links = [{ from: url, to: '/' }]
  const wrong: string[] = []

  async function visitPage(address: string): Promise<Target> {
    const reply = await fetch(address, { redirect: 'manual', headers: { accept: 'text/html,*/*' } })
    const text = await reply.text()
    if (!reply.headers.get('content-type')?.startsWith('text/html')) return { status: reply.status, ids: undefined }
    links.push(...addressesIn(text).map((to) => ({ from: address, to })))
    return { status: reply.status, ids: idsIn(text) }
  }

  for (const { from, to } of links) {
    const target = new URL(to, from)
    // Links to videos on other hosts are not followed.
    if (target.origin !== new URL(url).origin) continue
    const { hash } = target
    target.hash = ''
    const key = keyOf(target.href)
    const page = found.get(key) ?? (await visitPage(target.href))
    found.set(key, page)
    // The action of a form that is sent by POST.
    if (page.status >= 400 && !target.pathname.endsWith('/clients')) wrong.push(`${from} -> ${to}: ${page.status}`)
    else if (hash && page.ids && !page.ids.has(hash.slice(1))) wrong.push(`${from} -> ${to}: no such id`)
  }

  for (const path of [
    '/',
    '/playground',
    '/docs',
    '/docs/guides',
    '/docs/guides/limits',
    '/v5-access',
    '/openapi.json',
  ]) {
    assert.ok(found.has(keyOf(url + path)), `no link leads to ${path}`)
  }
  assert.deepEqual(wrong, [])
})

test('the URLs of the service in the documents work', async (t) => {
  const { url } = await startTestService(t)
  const files = globSync(['README.md', 'docs/*.md', 'packages/*/README.md'], { cwd: ROOT })
  let checked = 0
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), 'utf8').replace(/^```[\s\S]*?^```$/gm, '')
    for (const [address] of text.matchAll(/http:\/\/127\.0\.0\.1:4010[^\s<>)`"'*]*/g)) {
      const reply = await fetch(address.replaceAll(DOCUMENTED_URL, url).replace(/[.,;:]$/, ''))
      assert.ok(reply.status < 400, `${file}: ${address} answers ${reply.status}`)
      checked++
    }
  }
  assert.ok(checked > 0)
})
