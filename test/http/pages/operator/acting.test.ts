import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { APP } from '../../../kit/app.ts'
import { skipWithoutBrowser } from '../../../kit/browser.ts'
import { forSuite } from '../../../kit/scope.ts'
import { until } from '../../../kit/until.ts'
import { assertClean, clipboard, FAILED_REQUEST_MESSAGE, phone } from '../visit.ts'
import { ask, part, signedIn, visitOperator } from './sign-in.ts'

const request = (page: Page, name: string) => part(page, 'clients').locator('.request', { hasText: name })
const row = (page: Page, name: string) => part(page, 'clients').locator('tr', { hasText: name })
const dialog = (page: Page) => page.locator('dialog[open]')

async function ban(page: Page, address: string, reason: string): Promise<void> {
  await page.getByLabel('Address').fill(address)
  await page.getByLabel('Reason').fill(reason)
  await part(page, 'bans').getByRole('button', { name: 'Ban', exact: true }).click()
  await dialog(page).getByRole('button', { name: 'Ban' }).click()
}

describe('acting on the dashboard', { skip: skipWithoutBrowser }, () => {
  const visit = forSuite((scope) => visitOperator(scope, {}, { V5_ACCESS: 'registered' }))
  after(() => assertClean(visit(), FAILED_REQUEST_MESSAGE))
  const isGood = async (key: string) =>
    (await visit().fetchPath(`${APP}/stats/downloads`, { headers: { 'X-Client-Key': key } })).status === 200

  it('grants a key that is shown once and can be copied, and takes it back after a question', async () => {
    await ask(visit(), { name: 'Foxglove' })
    const page = await signedIn(visit())
    await request(page, 'Foxglove').getByRole('button', { name: 'Grant Foxglove' }).click()
    await dialog(page).getByRole('button', { name: 'Copy key' }).click()
    await until(async () => (await clipboard(page)).startsWith('mngc_'))
    const key = await clipboard(page)
    assert.equal(await dialog(page).locator('code').textContent(), key)
    assert.match(await dialog(page).innerText(), /Key of Foxglove.*Shown only once.*fox@example\.org/s)
    await until(() => isGood(key))
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    assert.equal((await page.content()).includes(key), false)

    const back = row(page, 'Foxglove').getByRole('button', { name: 'Revoke Foxglove' })
    await back.click()
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    assert.equal(await isGood(key), true, 'nothing is done before the question is answered')
    await back.click()
    await page.keyboard.press('Escape')
    assert.equal(await isGood(key), true)
    await back.click()
    await dialog(page).getByRole('button', { name: 'Revoke', exact: true }).click()
    await row(page, 'Foxglove').getByText('revoked').waitFor()
    await until(async () => !(await isGood(key)))
  })

  it('refuses after a question, by keyboard alone', async () => {
    await ask(visit(), { name: 'Nettle' })
    const page = await signedIn(visit(), undefined, phone)
    await request(page, 'Nettle').getByRole('button', { name: 'Refuse Nettle' }).focus()
    await page.keyboard.press('Enter')
    await dialog(page).waitFor()
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Refuse')
    await page.keyboard.press('Enter')
    await row(page, 'Nettle').getByText('refused').waitFor()
    await until(async () => (await page.evaluate('document.activeElement.id')) === 'clients-title')
  })

  it('shows what strangers wrote as text, in its own direction', async () => {
    const reason = '<script>alert(1)</script> 🦊🦊\nشكرا "&amp;'
    await ask(visit(), { name: '<img src=x onerror=alert(1)> مصباح', contact: '"><b>me</b>@example.org', reason })
    const tooLong = await ask(visit(), { name: 'Long', reason: 'x'.repeat(10_240) })
    assert.equal(tooLong.status, 400)
    const page = await signedIn(visit())
    const shown = request(page, 'مصباح')
    assert.equal(await shown.locator('.reason').textContent(), reason)
    assert.equal(await shown.locator('.reason').getAttribute('dir'), 'auto')
    assert.equal(await shown.locator('p bdi').first().textContent(), '<img src=x onerror=alert(1)> مصباح')
    assert.equal(await page.locator('main img[src="x"], main b > b').count(), 0)
    await shown.getByRole('button', { name: 'Refuse' }).click()
    assert.match(await dialog(page).innerText(), /Refuse <img src=x onerror=alert\(1\)> مصباح\?/)
  })

  it('bans with a reason after a question, and lifts', async () => {
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

  it('tells by the field what cannot be banned, and warns who would shut themselves out', async () => {
    const page = await signedIn(visit())
    const wrong = page.locator('#ban-address-error')
    await part(page, 'bans').getByRole('button', { name: 'Ban', exact: true }).click()
    assert.match(await wrong.innerText(), /Enter an IPv4 or IPv6 address/)
    await ban(page, 'example.org', '')
    await wrong.getByText('"address" must be an IP address.').waitFor()
    assert.equal(await page.evaluate('document.activeElement.id'), 'ban-address')
    await ban(page, '192.0.2.9', 'x'.repeat(201))
    await page.locator('#ban-reason-error').getByText('at most 200 characters').waitFor()
    assert.equal(await wrong.innerText(), '')
    await page.getByLabel('Address').fill('127.0.0.1')
    await page.getByLabel('Reason').fill('')
    await part(page, 'bans').getByRole('button', { name: 'Ban', exact: true }).click()
    assert.match(await dialog(page).innerText(), /you would ban yourself/)
    await dialog(page).getByRole('button', { name: 'Ban' }).click()
    await wrong.getByText('BAN_EXEMPT').waitFor()
  })

  it('lets a read token look, and says why it cannot act', async () => {
    await ask(visit(), { name: 'Yarrow' })
    const page = await signedIn(visit(), { scopes: ['read'] })
    await request(page, 'Yarrow').waitFor()
    for (const name of [/^Grant/, /^Refuse/, /^Revoke/, /^Lift/, /^Ban$/, /^Reload files/]) {
      assert.equal(await page.getByRole('button', { name }).count(), 0, String(name))
    }
    assert.match(await part(page, 'clients').innerText(), /This token is read-only/)
    assert.match(await part(page, 'bans').innerText(), /This token is read-only/)
    assert.match(await page.locator('[data-token-words]').innerText(), /^a test: read-only$/)
  })
})
