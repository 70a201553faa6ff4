import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { APP, revokeToken } from '../../../kit/app.ts'
import { NETWORK_NAME, skipWithoutBrowser } from '../../../kit/browser.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { tinyPng } from '../../../kit/pictures.ts'
import { news, record, releasesYaml } from '../../../kit/releases.ts'
import { forSuite } from '../../../kit/scope.ts'
import { until } from '../../../kit/until.ts'
import { assertAccessible, assertClean, assertFits, FAILED_REQUEST_MESSAGE } from '../visit.ts'
import { enter, part, signedIn, tokenFor, visitOperator } from './sign-in.ts'

const FILES = { 'releases.yaml': releasesYaml({ launcher: [record('1.0.0')] }), 'news/hello.md': news('Hello') }
const phone = { width: 360, height: 740 }

describe('publishing on the dashboard', { skip: skipWithoutBrowser }, () => {
  const visit = forSuite((scope) => visitOperator(scope, FILES))
  after(() => assertClean(visit(), FAILED_REQUEST_MESSAGE))
  let page: Page
  let token: Awaited<ReturnType<typeof tokenFor>>
  const readContent = (name: string) => readFile(join(visit().contentDir, name), 'utf8').catch(() => null)

  /** Opens a section. */
  async function open(title: string) {
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: title, exact: true }).click()
    await page.getByRole('heading', { level: 2, name: title, exact: true }).waitFor()
  }
  const click = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
  const field = (label: string) => page.locator('.editor:visible').getByLabel(label, { exact: true })
  const review = () => page.locator('.review:visible')
  const problem = (hasText: string) => page.locator('.editor:visible .problem', { hasText }).waitFor()
  const hasTitle = (title: string) => until(async () => (await field('Title').inputValue()) === title)

  async function fill(values: Record<string, string>) {
    for (const [label, value] of Object.entries(values)) await field(label).fill(value)
  }

  /** Opens a form of an entry. */
  async function change(subject: string, action: string) {
    const menu = page.getByText(`Change ${subject}`, { exact: true })
    const button = page.getByRole('button', { name: `${action} ${subject}`, exact: true })
    await menu.or(button).first().waitFor()
    if ((await menu.count()) > 0) await menu.click()
    await button.click()
  }

  /** Checks, returns what will change, and makes the change. */
  async function publish(action = 'Publish'): Promise<string> {
    if ((await page.locator('.editor:visible .fields > *').count()) > 0) await click('Check')
    const outcome = page.locator('.editor:visible').locator('h4, .problem:not(:empty), .wrong:not(:empty)').first()
    await outcome.waitFor()
    assert.equal(await outcome.innerText(), 'This will change')
    const words = await review().innerText()
    await review().getByRole('button', { name: action, exact: true }).click()
    await page.locator('.state:visible', { hasText: 'Done: ' }).waitFor()
    return words
  }

  /** Opens a form of an entry, fills it, and makes the change. Returns what will change. */
  async function edit(subject: string, action: string, values: Record<string, string> = {}, verb = action) {
    await change(subject, action)
    await fill(values)
    return publish(verb)
  }

  /** Opens the form of a new entry. */
  async function create(button: RegExp, values: Record<string, string>) {
    await click(button)
    await fill(values)
  }

  /** Undoes the change that was just made. */
  async function undo() {
    await page.locator('.state:visible').getByRole('button', { name: /^Undo/ }).click()
    await publish('Undo')
    await page.locator('.state:visible', { hasText: 'Done: Undo' }).waitFor()
  }

  it('publishes a release with its files, changes it, and undoes', async (t) => {
    page = await visit().open('/operator#releases')
    token = await tokenFor(visit(), { scopes: ['read', 'publish'] })
    await enter(page, token.text)
    await create(/^New release/, { Version: '2.0.0' })
    const folder = await temporaryFolder(t)
    const [setup, dmg] = [join(folder, 'setup.exe'), join(folder, 'app-arm64.dmg')]
    await writeFile(setup, Buffer.alloc(9_000_000, 'setup'))
    await writeFile(dmg, 'dmg')
    // The connection breaks after the first part.
    const sent: string[] = []
    await page.route('**/uploads/*', async (route) => {
      const range = route.request().headers()['content-range'] ?? ''
      sent.push(range)
      await (sent.filter((other) => other === range).length === 1 && range.startsWith('bytes 8388608-')
        ? route.abort()
        : route.continue())
    })
    await field('Choose files').setInputFiles([setup, dmg])
    await page.getByLabel('kind of setup.exe').selectOption('portable')
    await page
      .getByLabel('Notes, as Markdown')
      .fill('# New\n\nFaster <script>alert(1)</script> **now** ![fox](https://x.example/a.png)')
    await page.locator('.notes').getByRole('button', { name: 'Preview' }).click()
    await page.locator('.preview strong', { hasText: 'now' }).waitFor()
    assert.equal(await page.locator('.preview :is(script, img)').count(), 0)
    await click('Add a language')
    await page.getByLabel('Language').last().fill('de')
    await page.getByLabel('Notes, as Markdown').last().fill('Schneller')
    await field('Rollout').fill('25')
    const words = await publish()
    const parts = ['bytes 0-8388607/9000000', 'bytes 8388608-8999999/9000000', 'bytes 8388608-8999999/9000000']
    assert.deepEqual(
      sent.filter((range) => range.endsWith('/9000000')),
      parts,
    )
    await page.unroute('**/uploads/*')
    assert.match(words, /launcher-2\.0\.0-portable\.exe: windows, any, portable, 9\.0 MB/)
    assert.match(words, /-arm64\.dmg: macos, arm64, dmg/)
    assert.match(words, /\+ +rollout: 25/)
    const yaml = (await readContent('app/releases.yaml')) ?? ''
    assert.match(yaml, /version: 2\.0\.0[\s\S]*de: Schneller/)

    await change('launcher 2.0.0', 'Rollout')
    await until(async () => (await field('Rollout').inputValue()) === '25')
    await field('Rollout').press('ArrowRight')
    await publish('Roll out')
    await change('launcher 2.0.0', 'Ramp')
    await fill({ Steps: '30, 60', 'Time between two steps': 'soon' })
    await click('Check')
    const rule = page.locator('.editor').getByText(/from 1m to 30d/)
    await rule.last().waitFor()
    await field('Time between two steps').fill('12h')
    await publish('Start')
    for (const verb of ['Pause', 'Withdraw', 'Restore']) await edit('launcher 2.0.0', verb)
    await edit('launcher 2.0.0', 'Minimum', { Minimum: '1.0.0' }, 'Publish')
    await undo()
    assert.doesNotMatch((await readContent('app/releases.yaml')) ?? '', /minimum/)
  })

  it('publishes news with a translation and a picture, edits and removes them', async () => {
    await open('News')
    const picture = '/media/animals/fox/~b.svg'
    await create(/^New item/, { Title: 'Launcher 2', Text: 'It **starts** faster.', Picture: picture })
    await publish()
    const files = await readdir(join(visit().contentDir, 'app/news'))
    const id = files.find((name) => name.includes('launcher'))!.slice(0, -'.md'.length)
    const german = { Language: 'de', Title: 'Launcher 2 ist da', Text: 'Er startet schneller.' }
    await edit(id, 'Translate', german, 'Publish')
    await change(id, 'Edit')
    await hasTitle('Launcher 2')
    await page.locator('.shown img').waitFor()
    await field('Title').fill('Launcher 2.0')
    assert.match(await publish(), /-title: Launcher 2\n\+title: Launcher 2\.0\n/)
    await change(id, 'Edit de')
    await hasTitle(german.Title)
    await edit(id, 'Remove')
    assert.equal(await readContent(`app/news/${id}.de.md`), null)
    await undo()
    assert.match((await readContent(`app/news/${id}.de.md`)) ?? '', /Launcher 2 ist da/)
  })

  it('publishes resources, tiers, texts and the blocklist', async () => {
    await open('Resources')
    await create(/^New resources/, { Version: '3.2.0' })
    const dropped = await page.evaluateHandle(
      "(() => { const it = new DataTransfer(); it.items.add(new File(['data'], 'r.zip')); return it })()",
    )
    await page.locator('.drop:visible').dispatchEvent('drop', { dataTransfer: dropped })
    await publish()
    await edit('resources 3.2.0', 'Withdraw')
    assert.match((await readContent('app/resources.yaml')) ?? '', /withdrawn/)
    await edit('resources 3.2.0', 'Remove')
    assert.doesNotMatch((await readContent('app/resources.yaml')) ?? '', /3\.2\.0/)

    await open('Tiers')
    await edit('tier 2', 'Edit', { Resources: 'maps 1.4.0\nskins 2.0', Benefits: 'A badge' }, 'Publish')
    await page.getByText('maps 1.4.0, skins 2.0').waitFor()

    await open('Texts and videos')
    const content = (text: string) => ({ 'Content of the file': text })
    await create(/^New kind/, { Kind: 'fortune', ...content('# Ours') })
    await click('Check')
    await problem('The list has no text.')
    await fill(content('You will win'))
    await publish()
    assert.match(await edit('string/fortune', 'Edit', content('You will win\nMaybe'), 'Publish'), /\+Maybe/)
    const many = Array.from({ length: 12 }, (_, n) => `Fortune ${n}`).join('\n')
    await edit('string/fortune', 'Edit', content(many), 'Publish')
    await change('string/fortune', 'Edit')
    await fill(content('Only one'))
    await click('Check')
    await problem('publish with force to allow it')
    await field('Allow less than half of the entries').check()
    await publish()
    assert.equal(await readContent('string/fortune.txt'), 'Only one\n')
    await edit('string/fortune', 'Remove')
    assert.equal(await readContent('string/fortune.txt'), null)

    await open('Blocklist')
    await create(/^Edit/, content('bad.example'))
    await publish()
    await page.getByText('Your own list has 1 entry.').waitFor()
    await undo()
    await page.getByText('Your own list has 0 entries.').waitFor()
  })

  it('adds many pictures at once, credits and removes them, and removes the kind', async () => {
    const none = page.getByText('There are no pictures in the content folder yet.')
    const choose = async (count: number, ...others: { name: string; mimeType: string; buffer: Buffer }[]) => {
      await create(/^New kind/, { Kind: 'otter', Author: 'Ann', Tags: 'wet, brown' })
      const picture = (n: number) => ({ name: `${n}.png`, mimeType: 'image/png', buffer: tinyPng(n) })
      const pictures = Array.from({ length: count }, (_, n) => picture(n))
      await field('Choose files').setInputFiles([...pictures, ...others])
    }
    await open('Pictures')
    // More than fit into one request.
    await choose(52, { name: 'no.png', mimeType: 'image/png', buffer: Buffer.from('no') })
    assert.match(await publish('Add'), /52 pictures will be added\.\s+no\.png is refused: /)
    await undo()
    await none.waitFor()
    await create(/^New kind/, { Kind: 'cat' })
    await field('Choose files').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: tinyPng(9) })
    await field('Serve the drawings, too').check()
    assert.match(await publish('Add'), /\+drawings: \{\}/)
    await undo()
    await none.waitFor()
    await choose(3)
    await publish('Add')
    await click('Show pictures of otter')
    await page.getByLabel('Ann').nth(1).check()
    await click('Credits')
    await field('Author').fill('Bob')
    await publish()
    await page.getByLabel('Bob').check()
    await click('Remove')
    await publish('Remove')
    assert.equal((await readdir(join(visit().contentDir, 'animals/otter'))).length, 3)
    await edit('otter', 'Remove kind', {}, 'Remove')
    await none.waitFor()
    await undo()
    await page.getByRole('button', { name: 'Show pictures of otter' }).waitFor()
  })

  it('lists what was changed with before and after, marks what is undone, and undoes', async () => {
    await open('History')
    const rows = part(page, 'publish-history').locator('tbody tr')
    assert.match(await rows.first().innerText(), /history undo content remove otter: 2 pictures/)
    assert.match(await rows.nth(1).innerText(), /undone/)
    const entry = rows.filter({ hasText: 'news translate' })
    await entry.getByRole('button', { name: /^Show/ }).click()
    await part(page, 'publish-history').getByText('+title: Launcher 2 ist da').waitFor()
    const ramp = rows.filter({ hasText: 'release ramp' })
    await ramp.getByRole('button', { name: /^Undo/ }).click()
    await problem('was changed since')
  })

  it('says that somebody else changed the entry, overwrites nothing, and keeps what was typed', async () => {
    await open('News')
    await change('hello', 'Edit')
    await field('Title').fill('Mine')
    await writeFile(join(visit().contentDir, 'app/news/hello.md'), news('Theirs'))
    await click('Check')
    await problem('Somebody changed this since')
    assert.equal(await field('Title').inputValue(), 'Mine')
    await click('Reload')
    await page.getByRole('heading', { name: 'This will change' }).waitFor()
    assert.match(await review().innerText(), /-title: "?Theirs"?\n/)
    await writeFile(join(visit().contentDir, 'app/news/hello.md'), news('Theirs again'))
    await review().getByRole('button', { name: 'Publish' }).click()
    await problem('Somebody changed this since')
    assert.match((await readContent('app/news/hello.md')) ?? '', /Theirs again/)
    await click('Reload')
    await publish()
    assert.match((await readContent('app/news/hello.md')) ?? '', /Mine/)
  })

  it('keeps what was typed when the token is revoked, and publishes it with another one', async () => {
    const other = await tokenFor(visit(), { scopes: ['read', 'publish'] })
    await change('hello', 'Edit')
    await hasTitle('Mine')
    await field('Title').fill('Typed last night')
    await revokeToken(visit().dataDir, token.id)
    const words = 'The token was revoked. Sign in with another one. What you typed is kept until you close the tab.'
    await page.getByText(words).waitFor()
    await enter(page, other.text)
    await field('Title').waitFor()
    assert.equal(await field('Title').inputValue(), 'Typed last night')
    await publish()
    assert.match((await readContent('app/news/hello.md')) ?? '', /Typed last night/)
  })

  it('works by keyboard, at 360 px, and axe finds nothing', async () => {
    for (const title of ['Releases', 'Pictures', 'History']) {
      await open(title)
      if (title !== 'History') await click(title === 'Releases' ? /^New release/ : /^New kind/)
      for (const summary of await page.locator('.editor .group > summary').all()) await summary.press('Enter')
      await assertAccessible(page, '[data-publishing]')
      await page.setViewportSize(phone)
      await assertFits(page)
      await page.setViewportSize({ width: 1280, height: 800 })
    }
    await open('News')
    await page.getByText('Change hello', { exact: true }).focus()
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await press('Enter', 'Tab', 'Enter')
    await hasTitle('Typed last night')
    await press('Tab', 'End', '!', 'Enter')
    await page.getByRole('heading', { name: 'This will change' }).waitFor()
    await press('Tab', 'Tab', 'Enter')
    await page.locator('.state:visible', { hasText: 'Done: Edit hello' }).waitFor()
    assert.match((await readContent('app/news/hello.md')) ?? '', /Typed last night!/)
  })

  it('shows what is published, and why it cannot be changed, to a token without the scope', async () => {
    const reader = await signedIn(visit(), { scopes: ['read', 'write'] })
    await reader.getByRole('link', { name: 'News', exact: true }).click()
    await reader.getByText('This token cannot publish.').waitFor()
    await part(reader, 'publish-news').getByText('Typed last night!').waitFor()
    assert.equal(await part(reader, 'publish-news').locator('button:visible, details:visible').count(), 0)
    await reader.close()
  })

  it('a page of another host that leads here has no token and cannot publish', async () => {
    const history = async () => (await readdir(join(visit().dataDir, 'history'))).length
    const before = await history()
    // The same service under the name of an attacker, as after DNS rebinding. The operator is signed in in another tab.
    const attacker = await visit().context.newPage()
    const host = `http://${NETWORK_NAME}:${new URL(visit().url).port}`
    await attacker.goto(`${host}/operator`)
    await attacker.getByText('TLS required.').waitFor()
    assert.equal(await attacker.getByLabel('Token').isVisible(), false)
    assert.equal(await attacker.evaluate('sessionStorage.length + document.cookie.length'), 0)
    const status = await attacker.evaluate(async (url) => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ title: 'x', markdown: 'x' })
      return (await fetch(url, { method: 'POST', credentials: 'include', headers, body })).status
    }, `${host}${APP}/operator/news`)
    assert.equal(status, 401)
    assert.equal(await history(), before)
    visit().foreignRequests.length = 0
    await attacker.close()
  })
})
