import assert from 'node:assert/strict'
import { after, afterEach, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { APP } from '../../../kit/app.ts'
import { skipWithoutBrowser } from '../../../kit/browser.ts'
import { forSuite } from '../../../kit/scope.ts'
import { until } from '../../../kit/until.ts'
import { assertClean, FAILED_REQUEST_MESSAGE, phone, readClipboard } from '../visit.ts'
import { part, requestKey, signedIn, visitOperator } from './sign-in.ts'

const requestOf = (page: Page, name: string) => part(page, 'clients').locator('.request', { hasText: name })
const row = (page: Page, name: string) => part(page, 'clients').locator('tr', { hasText: name })
const dialog = (page: Page) => page.locator('dialog[open]')

async function ban(page: Page, address: string, reason: string): Promise<void> {
  await page.getByLabel('Address').fill(address)
  await page.getByLabel('Reason').fill(reason)
  await part(page, 'bans').getByRole('button', { name: 'Ban', exact: true }).click()
  await dialog(page).getByRole('button', { name: 'Ban' }).click()
}

describe('actions on the dashboard', { skip: skipWithoutBrowser }, () => {
  const visit = forSuite((scope) => visitOperator(scope, {}, { V5_ACCESS: 'registered' }))
  after(() => assertClean(visit(), FAILED_REQUEST_MESSAGE))
  afterEach(() => visit().closePages())
  const isAccepted = async (key: string) =>
    (await visit().fetchPath(`${APP}/stats/downloads`, { headers: { 'X-Client-Key': key } })).status === 200

  it('grants a key that is shown once and can be copied, and revokes it after a confirmation', async () => {
    await requestKey(visit(), { name: 'Foxglove' })
    const page = await signedIn(visit())
    await requestOf(page, 'Foxglove').getByRole('button', { name: 'Grant Foxglove' }).click()
    await dialog(page).getByRole('button', { name: 'Copy key' }).click()
    await until(async () => (await readClipboard(page)).startsWith('mngc_'))
    const key = await readClipboard(page)
    assert.equal(await dialog(page).locator('code').textContent(), key)
    assert.match(await dialog(page).innerText(), /Key of Foxglove.*Shown only once.*fox@example\.org/s)
    await until(() => isAccepted(key))
    for (let n = 0; n < 3; n++) await page.keyboard.press('Escape')
    assert.equal(await dialog(page).locator('code').textContent(), key, 'Escape does not lose the key')
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    await until(async () => !(await page.content()).includes(key))

    const revoke = row(page, 'Foxglove').getByRole('button', { name: 'Revoke Foxglove' })
    await revoke.click()
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    assert.equal(await isAccepted(key), true, 'nothing is done before the confirmation')
    await revoke.click()
    await page.keyboard.press('Escape')
    assert.equal(await isAccepted(key), true)
    await revoke.click()
    await dialog(page).getByRole('button', { name: 'Revoke', exact: true }).click()
    await row(page, 'Foxglove').getByText('revoked').waitFor()
    await until(async () => !(await isAccepted(key)))
  })

  it('keeps the key in a browser without `closedby`, and copies it without the clipboard API', async () => {
    await requestKey(visit(), { name: 'Sorrel' })
    const page = await signedIn(visit())
    await page.evaluate("document.querySelector('[data-key]').removeAttribute('closedby')")
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await requestOf(page, 'Sorrel').getByRole('button', { name: 'Grant Sorrel' }).click()
    const shown = dialog(page).locator('code')
    const key = (await shown.textContent()) ?? ''
    assert.match(key, /^mngc_/)
    for (let n = 0; n < 3; n++) {
      await page.keyboard.press('Escape')
      await dialog(page).waitFor()
    }
    assert.equal(await shown.textContent(), key)
    await dialog(page).getByRole('button', { name: 'Copy key' }).click()
    await page.locator('[data-copied="Copied"]').waitFor()
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    await until(async () => !(await page.content()).includes(key))
    const other = await visit().context.newPage()
    await other.goto(`${visit().url}/operator`)
    assert.equal(await readClipboard(other), key)
  })

  it('refuses a request after a confirmation, by keyboard alone', async () => {
    await requestKey(visit(), { name: 'Nettle' })
    const page = await signedIn(visit(), undefined, phone)
    await requestOf(page, 'Nettle').getByRole('button', { name: 'Refuse Nettle' }).focus()
    await page.keyboard.press('Enter')
    await dialog(page).waitFor()
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Refuse')
    await page.keyboard.press('Enter')
    await row(page, 'Nettle').getByText('refused').waitFor()
    await until(async () => (await page.evaluate('document.activeElement.id')) === 'clients-title')
  })

  it('shows the texts of clients as plain text, in their own writing direction', async () => {
    const reason = '<script>alert(1)</script> 🦊🦊\nشكرا "&amp;'
    await requestKey(visit(), {
      name: '<img src=x onerror=alert(1)> مصباح',
      contact: '"><b>me</b>@example.org',
      reason,
    })
    const tooLong = await requestKey(visit(), { name: 'Long', reason: 'x'.repeat(10_240) })
    assert.equal(tooLong.status, 400)
    const page = await signedIn(visit())
    const shown = requestOf(page, 'مصباح')
    assert.equal(await shown.locator('.reason').textContent(), reason)
    assert.equal(await shown.locator('.reason').getAttribute('dir'), 'auto')
    assert.equal(await shown.locator('p bdi').first().textContent(), '<img src=x onerror=alert(1)> مصباح')
    assert.equal(await page.locator('main img[src="x"], main b > b').count(), 0)
    await shown.getByRole('button', { name: 'Refuse' }).click()
    assert.match(await dialog(page).innerText(), /Refuse <img src=x onerror=alert\(1\)> مصباح\?/)
  })

  it('bans an address with a reason after a confirmation, and lifts the ban', async () => {
    const page = await signedIn(visit())
    await ban(page, '2001:db8:7::1', '<img src=x onerror=alert(1)> 🦊')
    const banned = part(page, 'bans').locator('tr', { hasText: '2001:db8:7::/64' })
    await banned.waitFor()
    assert.match(await banned.innerText(), /<img src=x onerror=alert\(1\)> 🦊 by operator/)
    assert.equal(await page.getByLabel('Address').inputValue(), '')
    const other = await signedIn(visit())
    await part(other, 'bans').locator('tr', { hasText: '2001:db8:7::/64' }).waitFor()
    await banned.getByRole('button', { name: 'Lift 2001:db8:7::/64' }).click()
    await part(page, 'bans').getByText('No bans.').waitFor()
    await part(other, 'bans').getByText('No bans.').waitFor()
  })

  it('shows next to the field why an address cannot be banned', async () => {
    const page = await signedIn(visit())
    const wrong = page.locator('#ban-address-error')
    await part(page, 'bans').getByRole('button', { name: 'Ban', exact: true }).click()
    assert.match(await wrong.innerText(), /Enter an IP address, or a network/)
    await ban(page, 'example.org', '')
    await wrong.getByText('"address" must be an IP address, or a network of /8 to /32 (IPv6: /16 to /64).').waitFor()
    assert.equal(await page.evaluate('document.activeElement.id'), 'ban-address')
    await ban(page, '192.0.2.9', 'x'.repeat(201))
    await page.locator('#ban-reason-error').getByText('at most 200 characters').waitFor()
    assert.equal(await wrong.innerText(), '')
    await page.getByLabel('Address').fill('127.0.0.1')
    await page.getByLabel('Reason').fill('')
    await part(page, 'bans').getByRole('button', { name: 'Ban', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Ban' }).click()
    await wrong.getByText('BAN_EXEMPT').waitFor()
  })

  it('shows no actions to a read-only token, and says why', async () => {
    await requestKey(visit(), { name: 'Yarrow' })
    const page = await signedIn(visit(), { scopes: ['read'] })
    await requestOf(page, 'Yarrow').waitFor()
    for (const name of [/^Grant/, /^Refuse/, /^Revoke/, /^Lift/, /^Ban$/, /^Reload files/]) {
      assert.equal(await page.getByRole('button', { name }).count(), 0, String(name))
    }
    assert.match(await part(page, 'clients').innerText(), /sign in with a token that has the scope write/)
    assert.match(await part(page, 'bans').innerText(), /sign in with a token that has the scope write/)
    assert.match(await page.locator('[data-token-words]').innerText(), /^Signed in as a test \(read-only\)$/)
  })
})

it('shows other requests next to one with hundreds of accents or line breaks', {
  skip: skipWithoutBrowser,
}, async (t) => {
  const visit = await visitOperator(t)
  const accents = '\u0301\u20dd'.repeat(240)
  await requestKey(visit, { name: 'Honest' })
  await requestKey(visit, { name: `Z${accents.slice(1, 80)}`, reason: `reasons a${accents} b${accents}` })
  await requestKey(visit, { name: 'Lines', reason: `a${'\n'.repeat(990)}reason b` })
  const page = await signedIn(visit)
  await requestOf(page, 'Honest').waitFor()
  const { height = 0 } = (await part(page, 'clients').boundingBox()) ?? {}
  assert.ok(height > 0 && height < 1500, `${height} pixels`)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth === innerWidth'), true)
  await requestOf(page, 'Lines').locator('.reason').hover()
  await page.mouse.wheel(0, 50_000)
  const isAtEnd = "[...document.querySelectorAll('.reason')].some(({ scrollTop }) => scrollTop > 10_000)"
  await until(() => page.evaluate(isAtEnd))
})
