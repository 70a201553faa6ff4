import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, afterEach, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { describe as describeDrawing } from '../../../packages/artist/src/index.ts'
import { openBrowser, skipWithoutBrowser } from '../../kit/browser.ts'
import { forSuite } from '../../kit/scope.ts'
import { until, untilEqual } from '../../kit/until.ts'
import { assertClean, assertFits, desktop, readClipboard, startVisit } from './visit.ts'

const skip = skipWithoutBrowser
const narrow = { width: 360, height: 740 }

const pictureOf = (page: Page) => page.locator('[data-drawing] img').getAttribute('src')
const isLoaded = (page: Page) =>
  page.locator('[data-drawing] img').evaluate((image: { complete: boolean; naturalWidth: number }) => {
    return image.complete && image.naturalWidth > 0
  })

/** Waits until the page shows this drawing. */
async function untilShown(page: Page, kind: string, name: string): Promise<void> {
  await until(async () =>
    decodeURIComponent((await pictureOf(page)) ?? '').endsWith(`media/animals/${kind}/~${name}.svg`),
  )
  await until(() => isLoaded(page))
}

/** Names of the visible controls that are smaller than 44 pixels. Links within a sentence may be smaller. */
const smallTargets = (page: Page, selector: string) =>
  page
    .locator(`${selector} :is(button, input:not([type=radio], [type=hidden]), label:has([type=radio]), li > a)`)
    .evaluateAll((elements) =>
      (
        elements as unknown as {
          textContent: string
          getBoundingClientRect(): { toJSON(): { width: number; height: number } }
        }[]
      )
        .map((element) => ({ name: element.textContent, ...element.getBoundingClientRect().toJSON() }))
        .filter(({ width, height }) => width > 0 && (width < 44 || height < 44)),
    )

describe('your animal on the front page', { skip }, () => {
  const visit = forSuite((scope) => startVisit(scope))
  after(() => assertClean(visit()))
  afterEach(() => visit().closePages())

  it('shows the animals of a name while it is typed', async () => {
    const page = await visit().open('/')
    await page.locator('#avatar-name').scrollIntoViewIfNeeded()
    const requested: string[] = []
    page.on('request', (request) => requested.push(decodeURIComponent(new URL(request.url()).pathname)))
    await page.locator('#avatar-name').pressSequentially('Zoë')
    await untilShown(page, 'fox', 'Zoë')
    for (const kind of ['cat', 'dog', 'fox', 'fish', 'alpaca', 'bird']) {
      assert.ok(requested.includes(`/media/animals/${kind}/~Zoë.svg`), kind)
    }
    assert.equal(await page.locator('.caption').innerText(), 'Zoë the fox')
    const { alt } = describeDrawing('fox', 'Zoë')
    await untilEqual(() => page.locator('[data-drawing] img').getAttribute('alt'), alt)
    assert.equal(await page.locator('[data-announcer]').textContent(), `Zoë the fox: ${alt}`)
    await page.locator('#avatar-name').fill('')
    await untilShown(page, 'fox', 'Ada')
  })

  it('any text is a name, and leads to its share page', async () => {
    const names = ["🦊 O'Brien", '<b>50% محمد</b>', 'a/../b', '..']
    const page = await visit().open('/')
    for (const name of names) {
      await page.locator('#avatar-name').fill(name)
      await untilShown(page, 'fox', name)
      assert.equal(await page.locator('[data-caption-name]').textContent(), name)
    }
    await page.locator('[data-share]').click()
    assert.equal(await page.locator('h1').innerText(), '.. the fox')
    await untilShown(page, 'fox', '..')
  })

  it('copies the link, HTML and Markdown of the chosen size and background', async () => {
    const page = await visit().open('/')
    const copied = async (button: string, expected: string) => {
      await page.locator('[data-avatar]').getByRole('button', { name: button }).click()
      await untilEqual(() => readClipboard(page), expected)
    }
    const start = `${visit().url}/media/animals/bird`
    await page.locator('#avatar-name').fill('A [1] "B"')
    await page.locator('.kind-tiles label', { hasText: 'bird' }).click()
    await copied('Copy image URL', `${start}/~A%20%5B1%5D%20%22B%22.png`)
    await page.getByRole('link', { name: '64', exact: true }).click()
    await copied('Copy image URL', `${start}/~A%20%5B1%5D%20%22B%22.png?size=64`)
    assert.equal(await page.getByLabel('URL of the picture').inputValue(), await readClipboard(page))
    await page.getByRole('link', { name: 'Sticker' }).click()
    assert.match((await pictureOf(page)) ?? '', /\.svg\?background=none$/)
    const link = `${start}/~A%20%5B1%5D%20%22B%22.png?size=64&background=none`
    await copied(
      'Copy HTML',
      `<img src="${link.replace('&', '&amp;')}" width="64" height="64" alt="A [1] &quot;B&quot; the bird">`,
    )
    await copied('Copy Markdown', `![A \\[1\\] "B" the bird](${link})`)
    assert.match(page.url(), /\/$/, 'the links do not change the URL of the page')
  })

  it('downloads the picture as PNG in the chosen size, and as SVG', async () => {
    const page = await visit().open('/')
    await page.locator('#avatar-name').fill('a/b: ../Zoë')
    await untilShown(page, 'fox', 'a/b: ../Zoë')
    await page.getByRole('link', { name: '128' }).click()
    const download = async (name: string) => {
      const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()])
      return { name: saved.suggestedFilename(), bytes: await readFile(await saved.path()) }
    }
    const png = await download('Download PNG')
    assert.equal(png.name, 'fox-a-b-Zoë.png')
    const { format, width, height } = await sharp(png.bytes).metadata()
    assert.deepEqual([format, width, height], ['png', 128, 128])
    const svg = await download('Download SVG')
    assert.equal(svg.name, 'fox-a-b-Zoë.svg')
    assert.match(svg.bytes.toString(), /^<svg /)
  })

  it('works by keyboard', async () => {
    const page = await visit().open('/')
    await page.locator('#avatar-name').focus()
    await page.keyboard.type('Ann')
    await page.keyboard.press('Enter')
    await untilShown(page, 'fox', 'Ann')
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowRight')
    await untilShown(page, 'fish', 'Ann')
    for (const name of ['64', '128', '256', '512', 'Scene', 'Sticker']) {
      await page.keyboard.press('Tab')
      assert.equal(await page.evaluate('document.activeElement.textContent'), name)
    }
    await page.keyboard.press('Enter')
    await until(async () => /background=none$/.test((await pictureOf(page)) ?? ''))
    // The field with the link comes before the button.
    for (let nth = 0; nth < 2; nth++) await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await until(async () => /~Ann\.png\?background=none$/.test(await readClipboard(page)))
  })

  it('fits a window of 360 pixels with targets of 44 pixels, also on the share page', async () => {
    const page = await visit().open('/', narrow)
    await page.locator('#avatar-name').fill('W'.repeat(200))
    await untilShown(page, 'fox', 'W'.repeat(200))
    await assertFits(page)
    assert.deepEqual(await smallTargets(page, '[data-avatar]'), [])
    await page.goto(`${visit().url}/a/alpaca/${'W'.repeat(200)}`)
    await assertFits(page)
    assert.deepEqual(await smallTargets(page, 'main'), [])
  })

  it('the share page changes options in place; other kinds and names open their own page', async () => {
    const page = await visit().open('/a/fox/Ada', desktop)
    await page.getByRole('link', { name: 'Sticker' }).click()
    await until(async () => /background=none$/.test((await pictureOf(page)) ?? ''))
    assert.match(page.url(), /\/a\/fox\/Ada$/)
    await page.getByRole('button', { name: 'Copy page URL' }).click()
    await untilEqual(() => readClipboard(page), `${visit().url}/a/fox/Ada`)
    await page.getByRole('link', { name: 'bird' }).click()
    await page.waitForURL('**/a/bird/Ada')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Zoë')
    await page.getByRole('button', { name: 'Show my bird' }).click()
    await page.waitForURL('**/a/bird/Zo%C3%AB')
    await untilShown(page, 'bird', 'Zoë')
  })

  it('another page can draw with the artist of the service', async () => {
    const page = await visit().open('/')
    const drawn = await page.evaluate<string>(
      `import('${visit().url}/site/artist.js').then(({ draw }) => draw('fox', 'Ada'))`,
    )
    assert.equal(drawn, await (await fetch(`${visit().url}/media/animals/fox/~Ada.svg`)).text())
  })

  it('without JavaScript, the form and the links lead to the drawing of a name', async (t) => {
    const browser = await openBrowser(t, visit().url, { javaScriptEnabled: false, viewport: narrow })
    const page = await browser.context.newPage()
    await page.goto(visit().url)
    await page.locator('#avatar-name').fill("Zoë O'Brien")
    await page.locator('.kind-tiles label', { hasText: 'alpaca' }).click()
    await page.getByRole('button', { name: 'Show it' }).click()
    await page.waitForURL('**/a/alpaca/Zo%C3%AB%20O%27Brien')
    assert.equal(await page.locator('h1').innerText(), "Zoë O'Brien the alpaca")
    await page.getByRole('link', { name: '64', exact: true }).click()
    await page.getByRole('link', { name: 'Sticker' }).click()
    assert.match(page.url(), /\/a\/alpaca\/Zo%C3%AB%20O%27Brien\?size=64&background=none#drawing$/)
    assert.match(await page.getByLabel('URL of the picture').inputValue(), /\.png\?size=64&background=none$/)
    assert.equal(await page.locator('[data-copy]').first().isVisible(), false)
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('..')
    await page.getByRole('button', { name: 'Show my alpaca' }).click()
    assert.equal(await page.locator('h1').innerText(), '.. the alpaca')
    assertClean(browser)
  })
})
