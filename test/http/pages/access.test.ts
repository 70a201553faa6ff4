import assert from 'node:assert/strict'
import { after, afterEach, describe, it } from 'node:test'
import { skipWithoutBrowser } from '../../kit/browser.ts'
import { forSuite } from '../../kit/scope.ts'
import { until } from '../../kit/until.ts'
import { assertClean, FAILED_REQUEST_MESSAGE, phone, startVisit } from './visit.ts'

describe('the page that requests a client key', { skip: skipWithoutBrowser }, () => {
  const visit = forSuite((scope) => startVisit(scope, { APP_NAME: 'lantern', V5_ACCESS: 'registered' }))
  after(() => assertClean(visit(), FAILED_REQUEST_MESSAGE))
  afterEach(() => visit().closePages())

  it('shows the current access policy', async () => {
    const page = await visit().open('/v5-access')
    assert.match(await page.locator('.policy').innerText(), /lantern.*Registered clients only/s)
  })

  it('sends the request by keyboard alone, and shows its id', async () => {
    const page = await visit().open('/v5-access', phone)
    await page.getByLabel('Name').focus()
    await page.keyboard.type('Lamp <b>&</b> مصباح')
    await page.keyboard.press('Tab')
    await page.keyboard.type('me@example.com')
    await page.keyboard.press('Tab')
    await page.keyboard.type('A tray icon that shows the news 🦊.')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Request sent' }).waitFor()
    assert.match(await page.locator('.asked').innerText(), /me@example\.com.*[0-9a-f]{8}-[0-9a-f-]{27}/s)
    assert.equal(await page.evaluate('document.activeElement.id'), 'key-request-title')
  })

  it('shows at each field what is too short, and focuses the first one', async () => {
    const page = await visit().open('/v5-access')
    await page.getByLabel('Contact').fill('me@example.com')
    await page.getByRole('button', { name: 'Send request' }).click()
    assert.equal(await page.locator('#name-error').innerText(), 'At least 2 characters.')
    assert.equal(await page.locator('#contact-error').innerText(), '')
    assert.equal(await page.locator('#reason-error').innerText(), 'At least 10 characters.')
    assert.equal(await page.getByLabel('Name').getAttribute('aria-invalid'), 'true')
    assert.equal(await page.evaluate('document.activeElement.id'), 'name')
  })

  it('shows at the field why the service refuses: a reason of 10 KB, a name that changes the writing direction', async () => {
    const page = await visit().open('/v5-access')
    await page.getByLabel('Name').fill('Lantern')
    await page.getByLabel('Contact').fill('me@example.com')
    await page.getByLabel('Reason').fill('because '.repeat(1280))
    await page.getByRole('button', { name: 'Send request' }).click()
    await until(async () => /10 to 1000 characters/.test(await page.locator('#reason-error').innerText()))
    await page.getByLabel('Reason').fill('A tray icon that shows the news.')
    await page.getByLabel('Name').fill('exe.\u202enretnal')
    await page.getByRole('button', { name: 'Send request' }).click()
    await until(async () => /control characters/.test(await page.locator('#name-error').innerText()))
    assert.equal(await page.locator('#reason-error').innerText(), '')
  })

  it('keeps the input when the service does not answer', async () => {
    const page = await visit().open('/v5-access')
    await page.getByLabel('Name').fill('Lantern')
    await page.getByLabel('Contact').fill('me@example.com')
    await page.getByLabel('Reason').fill('A tray icon that shows the news.')
    await visit().context.setOffline(true)
    await page.getByRole('button', { name: 'Send request' }).click()
    await until(async () => /does not reply/.test(await page.locator('.key-request [data-problem]').innerText()))
    await visit().context.setOffline(false)
    await page.getByRole('button', { name: 'Send request' }).click()
    await page.getByRole('heading', { name: 'Request sent' }).waitFor()
  })
})
