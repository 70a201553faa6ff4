import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser, skipWithoutBrowser } from '../../kit/browser.ts'
import { startTestService } from '../../kit/service.ts'

test('the API reference shows every group in a browser and asks no other host', {
  skip: skipWithoutBrowser,
}, async (t) => {
  const { url } = await startTestService(t)
  const { context, foreignRequests, consoleErrors } = await openBrowser(t, url)
  const page = await context.newPage()
  await page.goto(`${url}/docs`)
  await page.getByRole('heading', { name: 'Menagerie' }).first().waitFor()
  await page.getByText('Random content, v1').first().waitFor()
  await page.getByText('Developer information').first().waitFor()
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/docs.png` })
  assert.deepEqual(foreignRequests, [])
  assert.deepEqual(consoleErrors, [])
})

test('the theme that was chosen on other pages holds in the reference', {
  skip: skipWithoutBrowser,
}, async (t) => {
  const { url } = await startTestService(t)
  const { context } = await openBrowser(t, url)
  const page = await context.newPage()
  for (const theme of ['dark', 'light']) {
    await page.goto(`${url}/`)
    await page.evaluate(`localStorage.setItem('theme', '${theme}')`)
    await page.goto(`${url}/docs`)
    await page.locator(`body.${theme}-mode`).waitFor()
  }
})

test('scripts of the reference are served packed, and unpacked to who cannot unpack', async (t) => {
  const { url, fetchPath } = await startTestService(t)
  const packed = await fetch(`${url}/docs/scalar.js`, { headers: { 'accept-encoding': 'br' } })
  assert.equal(packed.headers.get('content-encoding'), 'br')
  const plain = await fetchPath('/docs/scalar.js', { headers: { 'accept-encoding': 'identity' } })
  assert.equal(plain.headers.get('content-encoding'), null)
  assert.equal(await packed.text(), await plain.text())
  assert.equal((await fetchPath('/docs/..%2fpackage.json')).status, 404)
})
