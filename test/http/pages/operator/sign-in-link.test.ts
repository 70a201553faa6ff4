import assert from 'node:assert/strict'
import { createServer, type OutgoingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, test } from 'node:test'
import { APP } from '../../../kit/app.ts'
import { NETWORK_NAME, openBrowser, skipWithoutBrowser } from '../../../kit/browser.ts'
import { readLogs } from '../../../kit/log-files.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService, type TestService } from '../../../kit/service.ts'
import { until } from '../../../kit/until.ts'
import { assertAccessible, assertClean, assertFits, FAILED_REQUEST_MESSAGE, phone, startVisit } from '../visit.ts'
import { startProxy } from './reverse-proxy.ts'
import { enter, tokenFor } from './sign-in.ts'

const skip = skipWithoutBrowser
const USED = 'it was used, has expired, or belongs to an earlier start of the service'

function createUrl({ service }: TestService): string {
  const url = service.createSignInUrl()
  assert.ok(url)
  return url
}

const secretOf = (signInUrl: string) => signInUrl.split('#sign-in=')[1] ?? ''

/** Sends any headers, also those that `fetch` does not send. */
function redeem(url: string, link: string, headers: OutgoingHttpHeaders = {}) {
  const { host, origin } = new URL(url)
  const all = Object.entries({ host, origin, 'content-type': 'application/json', ...headers })
  const sentHeaders = Object.fromEntries(all.filter(([, value]) => value !== undefined))
  return new Promise<{ status: number; body: Record<string, string> }>((resolve, reject) => {
    const sent = request(`${url}/operator/sign-in`, { method: 'POST', headers: sentHeaders }, async (reply) => {
      const chunks = await reply.toArray()
      resolve({ status: reply.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) })
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ link }))
  })
}

describe('the endpoint for sign-in links', () => {
  const service = forSuite((scope) => startTestService(scope, { TRUST_PROXY: 'loopback' }))

  const refused: [what: string, headers: OutgoingHttpHeaders, reason: RegExp][] = [
    [
      'a foreign host',
      { host: 'evil.example', origin: 'http://evil.example' },
      /the host is not a name of this machine/,
    ],
    ['a host that looks local', { host: '127.0.0.1.evil.example' }, /the host is not a name of this machine/],
    ['an address of the network', { host: '192.168.1.2:4010' }, /the host is not a name of this machine/],
    ['a foreign origin', { origin: 'https://evil.example' }, /does not come from the dashboard/],
    ['another port', { origin: 'http://127.0.0.1:1' }, /does not come from the dashboard/],
    ['a sandboxed page', { origin: 'null' }, /does not come from the dashboard/],
    ['a program without an origin', { origin: undefined }, /does not come from the dashboard/],
    ['another site', { 'sec-fetch-site': 'same-site' }, /does not come from the dashboard/],
    ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'].map(
      (name): [string, OutgoingHttpHeaders, RegExp] => [name, { [name]: '127.0.0.1' }, /forwarded by a proxy/],
    ),
  ]

  it('refuses requests of other sites and through proxies, and the link stays valid', async () => {
    const { url } = service()
    const link = secretOf(createUrl(service()))
    for (const [what, headers, reason] of refused) {
      const { status, body } = await redeem(url, link, headers)
      assert.deepEqual([status, body.code], [403, 'SIGN_IN_REFUSED'], what)
      assert.match(body.message ?? '', reason, what)
    }
    assert.equal((await redeem(url, link)).status, 200)
  })

  it('refuses a second use, a wrong link and a replaced link with the same reply', async () => {
    const { url } = service()
    const replaced = secretOf(createUrl(service()))
    const used = secretOf(createUrl(service()))
    const { body } = await redeem(url, used)
    assert.match(body.secret ?? '', /^mng_/)
    for (const link of [used, replaced, 'mngl_wrong', '']) {
      const { status, body } = await redeem(url, link)
      assert.deepEqual([status, body.code], [403, 'SIGN_IN_REFUSED'])
      assert.ok(body.message?.includes(USED))
    }
  })

  it('takes the link only in the body', async () => {
    const { url, fetchPath } = service()
    const link = secretOf(createUrl(service()))
    const { origin } = new URL(url)
    const inUrl = await fetchPath(`/operator/sign-in?link=${link}`, { method: 'POST', headers: { origin } })
    assert.equal(inUrl.status, 400)
    assert.equal((await fetchPath(`/operator/sign-in?link=${link}`)).status, 405)
  })
})

test('a service that other machines can reach has no sign-in link', async (t) => {
  const { service, url } = await startTestService(t, { HOST: '0.0.0.0' })
  assert.equal(service.createSignInUrl(), undefined)
  const local = url.replace('0.0.0.0', '127.0.0.1')
  assert.equal((await redeem(local, '')).status, 403)
})

test('a sign-in link opens the dashboard once, and its secret stays nowhere', { skip }, async (t) => {
  const visit = await startVisit(t)
  const signInUrl = createUrl(visit)
  const path = signInUrl.slice(visit.url.length)
  const page = await visit.open(path)
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url(), request.headers().referer ?? ''))
  await page.locator('.verdict[data-severity]').waitFor()
  assert.equal(page.url(), `${visit.url}/operator`)
  const words = await page.locator('[data-token-words]').innerText()
  assert.match(words, /^Signed in as sign-in link \(read, write, and publish\) until \w+ \d+/)
  await page.getByRole('heading', { name: 'Traffic' }).waitFor()
  await page.reload()
  await page.locator('.verdict[data-severity]').waitFor()

  const other = await visit.open(path, phone)
  await other.getByText(USED).waitFor()
  assert.equal(await other.locator('[data-screen]').isVisible(), false)
  assert.match(await other.locator('main').innerText(), /npm run menagerie -- token create dashboard --scope write/)
  assert.equal(other.url(), `${visit.url}/operator`)
  await assertAccessible(other)
  await assertFits(other)

  // The page is open already: the browser does not load it again.
  await other.goto(createUrl(visit))
  await other.locator('.verdict[data-severity]').waitFor()

  const secret = secretOf(signInUrl)
  assert.ok(urls.length > 10 && urls.every((url) => !url.includes(secret)))
  assert.equal(
    await page.evaluate('JSON.stringify(sessionStorage)').then((text) => String(text).includes(secret)),
    false,
  )
  await until(async () => /operator\/sign-in/.test(await readLogs(visit.dataDir)))
  assert.doesNotMatch(await readLogs(visit.dataDir), new RegExp(`${secret}|mngl_`))
  assert.ok(visit.printed.every((text) => !text.includes('mngl_')))
  assertClean(visit, FAILED_REQUEST_MESSAGE)
})

test('signing out revokes the session of a sign-in link, and no other token', { skip }, async (t) => {
  const visit = await startVisit(t)
  const { text } = await tokenFor(visit)
  const page = await visit.open(createUrl(visit).slice(visit.url.length))
  const readStatus = (token: unknown) =>
    fetch(`${visit.url}${APP}/operator/token`, { headers: { Authorization: `Bearer ${token}` } }).then(
      ({ status }) => status,
    )
  const signOut = async () => {
    await page.locator('.verdict[data-severity]').waitFor()
    const stored = await page.evaluate("sessionStorage.getItem('operator-token')")
    assert.equal(await readStatus(stored), 200)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Signed out').waitFor({ state: 'attached' })
    return readStatus(stored)
  }
  await page.locator('.verdict[data-severity]').waitFor()
  await page.reload()
  assert.equal(await signOut(), 401)
  await enter(page, text)
  assert.equal(await signOut(), 200)
  assertClean(visit)
})

test('pages of other sites cannot use a sign-in link', { skip }, async (t) => {
  const service = await startTestService(t)
  const link = secretOf(createUrl(service))
  const { port } = new URL(service.url)
  const server = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end('<title>x</title>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => void server.close())
  const renaming = await startProxy(t, service.url, { host: `127.0.0.1:${port}` })
  const { context } = await openBrowser(t, '')
  const page = await context.newPage()
  const pages = {
    'another site': `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    'a name that leads here (DNS rebinding)': `http://${NETWORK_NAME}:${port}/operator`,
    'a proxy that changes the host': `http://${NETWORK_NAME}:${renaming}/operator`,
  }
  for (const [what, address] of Object.entries(pages)) {
    await page.goto(address)
    const target = what === 'another site' ? service.url : ''
    const send = `fetch('${target}/operator/sign-in', { method: 'POST', body: JSON.stringify({ link: '${link}' }),
      headers: { 'content-type': 'application/json' } }).then((reply) => reply.status, () => 'failed')`
    assert.equal(await page.evaluate(send), 403, what)
  }
  assert.equal((await redeem(service.url, link)).status, 200, 'it was not used')
})
