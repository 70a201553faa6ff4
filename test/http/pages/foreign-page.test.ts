import assert from 'node:assert/strict'
import { it } from 'node:test'
import { APP } from '../../kit/app.ts'
import { NETWORK_NAME, openBrowser, skipWithoutBrowser } from '../../kit/browser.ts'
import { createCertificate, hasOpenssl } from '../../kit/certificate.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { startTestService } from '../../kit/service.ts'
import { startSource } from '../../kit/source.ts'
import { untilEqual } from '../../kit/until.ts'
import { startProxy } from './operator/reverse-proxy.ts'

const ATTACK = '../../etc/passwd'

/** How a page of another site can make its visitors send an attack. */
const WAYS: Readonly<Record<string, (url: string) => string>> = {
  image: (url) => `<img src="${url}">`,
  'image without referrer': (url) => `<img src="${url}" referrerpolicy="no-referrer">`,
  redirect: (url) => `<img src="/redirect?${encodeURIComponent(url)}">`,
  script: (url) => `<script src="${url}"></script>`,
  style: (url) => `<link rel="stylesheet" href="${url}">`,
  video: (url) => `<video src="${url}" preload="auto"></video>`,
  frame: (url) => `<iframe src="${url}"></iframe>`,
  fetch: (url) => `<script>fetch("${url}", { mode: "no-cors" })</script>`,
  head: (url) => `<script>fetch("${url}", { mode: "no-cors", method: "HEAD" })</script>`,
  token: (url) => `<script>fetch("${url}", { headers: { authorization: "Bearer ' or 1=1" } })</script>`,
  beacon: (url) => `<script>navigator.sendBeacon("${url}", "${ATTACK}")</script>`,
  socket: (url) => `<script>new WebSocket("${url.replace('http', 'ws')}")</script>`,
  events: (url) => `<script>new EventSource("${url}")</script>`,
  'origin null': (url) => {
    const script = `<script>fetch("${url}", { method: "POST", mode: "no-cors", body: "${ATTACK}" })</script>`
    return `<iframe src="data:text/html,${encodeURIComponent(script)}"></iframe>`
  },
  form: (url) =>
    `<form method="post" enctype="text/plain" target="frame" action="${url}"><input name="a" value="${ATTACK}"></form>` +
    '<iframe name="frame"></iframe><script>document.forms[0].submit()</script>',
}

const skipWithoutTls = skipWithoutBrowser || (hasOpenssl() ? false : 'no openssl')

for (const [start, skip] of [
  ['http://127.0.0.1', skipWithoutBrowser],
  [`http://${NETWORK_NAME}`, skipWithoutBrowser],
  [`https://${NETWORK_NAME}`, skipWithoutTls],
] as const) {
  it(`a page of another site cannot get its visitors banned at ${start}`, { skip }, async (t) => {
    const isHttps = start.startsWith('https:')
    const { url, fetchJson } = await startTestService(t, { TRUST_PROXY: 'loopback', PUBLIC_URL: isHttps ? start : '' })
    const startTls = async () => startProxy(t, url, { tls: createCertificate(await temporaryFolder(t), NETWORK_NAME) })
    const port = isHttps ? await startTls() : new URL(url).port
    const operator = `${start}:${port}${APP}/operator/x?a=${ATTACK}&way=`
    const page = Object.entries(WAYS).map(([way, write]) => write(operator + encodeURIComponent(way)))
    const source = await startSource(t, ({ url: path = '' }, response) => {
      const [, target] = path.split('/redirect?')
      if (target) response.writeHead(302, { location: decodeURIComponent(target) }).end()
      else response.writeHead(200, { 'content-type': 'text/html' }).end(page.join('\n'))
    })
    const client = { 'x-forwarded-for': '203.0.113.1' }
    const { context } = await openBrowser(t, source.url(), { extraHTTPHeaders: client, ignoreHTTPSErrors: true })
    const sent = new Set<string | null>()
    const record = (target: string) => sent.add(new URL(target).searchParams.get('way'))
    context.on('request', (request) => record(request.url()))
    const tab = await context.newPage()
    tab.on('websocket', (socket) => socket.on('socketerror', () => record(socket.url())))
    await tab.goto(source.url())
    sent.delete(null)
    await untilEqual(() => [...sent].sort(), Object.keys(WAYS).sort())
    // A link in a chat or an email.
    await tab.goto(`${operator}link`)
    assert.equal((await fetchJson('/api/v1/version', { headers: client })).status, 200)
  })
}

it('a link in a page of the service cannot get its visitors banned', { skip: skipWithoutBrowser }, async (t) => {
  const { url, fetchJson } = await startTestService(t, { TRUST_PROXY: 'loopback' })
  const client = { 'x-forwarded-for': '203.0.113.1' }
  const { context } = await openBrowser(t, url, { extraHTTPHeaders: client })
  const tab = await context.newPage()
  // The page of a 404 suggests the right path.
  await tab.goto(`${url}/${APP}/operator/releases/launcher/%3Cscript%3E`)
  await tab.getByRole('link', { name: '%3Cscript%3E' }).click()
  await tab.waitForURL(`${url}${APP}/operator/releases/launcher/%3Cscript%3E`)
  assert.equal((await fetchJson('/api/v1/version', { headers: client })).status, 200)
})
