import assert from 'node:assert/strict'
import { after, afterEach, describe, it, test } from 'node:test'
import { expireToken, revokeToken } from '../../../kit/app.ts'
import { NETWORK_NAME, openBrowser, skipWithoutBrowser } from '../../../kit/browser.ts'
import { createCertificate, hasOpenssl } from '../../../kit/certificate.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { readLogs } from '../../../kit/log-files.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService } from '../../../kit/service.ts'
import { startSource } from '../../../kit/source.ts'
import { until } from '../../../kit/until.ts'
import { assertClean, FAILED_REQUEST_MESSAGE, startVisit } from '../visit.ts'
import { startProxy } from './reverse-proxy.ts'
import { enter, refreshOften, signedIn, tokenFor, visitOperator } from './sign-in.ts'

const skip = skipWithoutBrowser

describe('signing in to the dashboard', { skip }, () => {
  const visit = forSuite((scope) => visitOperator(scope))
  after(() => assertClean(visit(), FAILED_REQUEST_MESSAGE))
  afterEach(() => visit().closePages())

  it('does not send a text that cannot be a token', async () => {
    const page = await visit().open('/operator')
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    for (const text of ['', 'hunter2', 'mng_short', 'mng_ünïcödé-ünïcödé-ünïcödé', '<img src=x onerror=alert(1)>']) {
      await enter(page, text)
      await page.getByText('A token starts with mng_').waitFor()
    }
    assert.deepEqual(
      requests.filter((url) => /api/.test(url)),
      [],
    )
  })

  it('explains that a token is wrong or expired, and shows no dashboard', async () => {
    const page = await visit().open('/operator')
    const past = Date.now() - 7_200_000
    const expired = await tokenFor(visit(), { createdAt: past, expiresAt: past + 3_600_000 })
    for (const text of [`mng_${'x'.repeat(43)}`, expired.text]) {
      await enter(page, text)
      await page.getByText('The token is not valid: it is mistyped, expired or revoked.').waitFor()
      assert.equal(await page.locator('[data-screen]').isVisible(), false)
      assert.equal(await page.evaluate('sessionStorage.length'), 0)
    }
  })

  it('requires the scope read', async () => {
    const { text } = await tokenFor(visit(), { scopes: ['write'] })
    const page = await visit().open('/operator')
    await enter(page, text)
    await page.getByText('This token does not have the scope read').waitFor()
  })

  it('signs out when the token is revoked, and says so', async () => {
    const { id, text } = await tokenFor(visit())
    const page = await visit().open('/operator')
    await refreshOften(page)
    let refused = 0
    page.on('response', (response) => (refused += Number(response.status() === 401)))
    await enter(page, text)
    await page.locator('.verdict[data-severity]').waitFor()
    await revokeToken(visit().dataDir, id)
    await page.getByText('The token was revoked.').waitFor()
    // One, or those of a refresh that is under way.
    assert.ok(refused >= 1 && refused < 5, `${refused} requests were refused; five wrong tokens cause a ban`)
    assert.equal(await page.locator('[data-screen]').isVisible(), false)
    assert.equal(await page.evaluate('sessionStorage.length'), 0)
  })

  it('says when a token expired while the page was open', async () => {
    const { id, text } = await tokenFor(visit(), { expiresAt: Date.now() + 3_600_000 })
    const page = await visit().open('/operator')
    await refreshOften(page)
    await enter(page, text)
    await page.locator('.verdict[data-severity]').waitFor()
    await page.evaluate('{ const now = Date.now; Date.now = () => now() + 7_200_000 }')
    await expireToken(visit().dataDir, id)
    await page.getByText('The token expired on').waitFor()
  })

  it('keeps the token in the tab: not in the URL, other tabs, the page or the logs', async () => {
    const { text } = await tokenFor(visit())
    const page = await visit().open('/operator')
    const urls: string[] = []
    page.on('request', (request) => urls.push(request.url()))
    await page.getByLabel('Token').fill(text)
    await page.getByLabel('Token').press('Enter')
    await page.locator('.verdict[data-severity]').waitFor()
    assert.equal(await page.getByLabel('Token').inputValue(), '')
    await page.reload()
    await page.locator('.verdict[data-severity]').waitFor()
    assert.ok(urls.length > 10 && urls.every((url) => !url.includes(text)) && !page.url().includes(text))
    assert.equal(await page.evaluate('Object.values(localStorage).join()'), '')
    assert.equal((await page.content()).includes(text), false)
    const other = await visit().open('/operator')
    assert.equal(await other.getByLabel('Token').isVisible(), true)

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Token').waitFor()
    assert.equal(await page.evaluate('sessionStorage.length'), 0)
    await page.reload()
    assert.equal(await page.getByLabel('Token').isVisible(), true)
    await until(async () => /operator\/token/.test(await readLogs(visit().dataDir)))
    assert.equal((await readLogs(visit().dataDir)).includes(text), false)
  })

  it('names without JavaScript the equivalent commands', async (t) => {
    const browser = await openBrowser(t, visit().url, { javaScriptEnabled: false })
    const page = await browser.context.newPage()
    await page.goto(`${visit().url}/operator`)
    assert.match(
      await page.locator('main').innerText(),
      /needs JavaScript.*npm run menagerie -- clients list.*npm run menagerie -- ban list/s,
    )
    assert.equal(await page.getByLabel('Token').isVisible(), false)
    assertClean(browser)
  })
})

test('over plain HTTP with a network name there is no token field', { skip }, async (t) => {
  const { url } = await startTestService(t)
  const port = new URL(url).port
  // Through the second proxy the service sees a loopback host name; only the browser knows the real one.
  const renaming = await startProxy(t, url, { host: `127.0.0.1:${port}` })
  const { context, foreignRequests, consoleErrors } = await openBrowser(t, `http://${NETWORK_NAME}:`)
  for (const at of [port, renaming]) {
    const page = await context.newPage()
    await page.goto(`http://${NETWORK_NAME}:${at}/operator`)
    assert.match(await page.locator('main').innerText(), /TLS required\..*https:\/\/.*PUBLIC_URL.*127\.0\.0\.1/s)
    assert.equal(await page.getByLabel('Token').isVisible(), false)
  }
  assert.deepEqual([foreignRequests, consoleErrors], [[], []])
})

test('a page of another site that opened the dashboard or the API reference in a tab cannot replace it', {
  skip,
}, async (t) => {
  const { url } = await startTestService(t)
  const evil = await startSource(t, (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('x'))
  const { context } = await openBrowser(t, evil.url())
  const page = await context.newPage()
  await page.goto(evil.url())
  const openTab = async (path: string) => {
    const opening = context.waitForEvent('page')
    await page.evaluate(`{ globalThis.tab = open('${url}${path}') }`)
    const tab = await opening
    await tab.waitForURL(url + path)
    return tab
  }
  const opened = []
  for (const path of ['/operator', '/docs']) {
    opened.push(await openTab(path))
    await until(() => page.evaluate('tab.closed'))
    await page.evaluate(`{ tab.location = '${evil.url('/copy')}' }`)
  }
  // The same way replaces another page.
  const other = await openTab('/api/v1/version')
  await page.evaluate(`{ tab.location = '${evil.url('/copy')}' }`)
  await other.waitForURL(evil.url('/copy'))
  assert.deepEqual(
    opened.map((tab) => tab.url()),
    [`${url}/operator`, `${url}/docs`],
  )
})

const noTls = skip || (hasOpenssl() ? false : 'no openssl')

test('signing in works behind a proxy that terminates TLS, even without PUBLIC_URL', { skip: noTls }, async (t) => {
  const { url, dataDir } = await startTestService(t)
  const tls = createCertificate(await temporaryFolder(t), NETWORK_NAME)
  const address = `https://${NETWORK_NAME}:${await startProxy(t, url, { tls })}`
  const { context, foreignRequests } = await openBrowser(t, address, { ignoreHTTPSErrors: true })
  const page = await context.newPage()
  await page.goto(`${address}/operator`)
  await enter(page, (await tokenFor({ url, dataDir })).text)
  await page.locator('.verdict[data-severity]').waitFor()
  assert.deepEqual(foreignRequests, [])
})

test('with an https PUBLIC_URL, the page over plain HTTP links to it', { skip }, async (t) => {
  const visit = await startVisit(t, { PUBLIC_URL: 'https://pets.example' })
  const page = await (await visit.fetchPath('/operator')).text()
  assert.match(page, /<a href="https:\/\/pets\.example\/operator">/)
  const open = await signedIn(visit)
  assert.equal(await open.locator('[data-plain]').isVisible(), false, 'signing in works on loopback')
})
