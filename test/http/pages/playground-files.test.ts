import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { png, webpBomb } from '../../kit/broken-pictures.ts'
import { skipWithoutBrowser } from '../../kit/browser.ts'
import { createAnimation, createNoisyImage } from '../../kit/pictures.ts'
import { until } from '../../kit/until.ts'
import {
  at,
  chooseFile,
  chooseFilter,
  READ_THUMBNAILS,
  readProblem,
  visitPlayground,
  waitForFilter,
} from './playground-visit.ts'
import { assertAccessible } from './visit.ts'

/** Dispatches an event with a file, as a browser does. */
const sendFile = (page: Page, event: 'drop' | 'paste', bytes: Buffer) =>
  page.evaluate(`{
    const data = new DataTransfer()
    const bytes = new Uint8Array(${JSON.stringify([...bytes])})
    data.items.add(new File([bytes], 'sent', { type: bytes[0] === 255 ? 'image/jpeg' : 'image/png' }))
    const options = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data }
    document.body.dispatchEvent(new ${event === 'drop' ? 'DragEvent' : 'ClipboardEvent'}('${event}', options))
  }`)

const readPixels = (image: Buffer) => sharp(image).toColourspace('srgb').removeAlpha().raw().toBuffer()

describe('the filter playground with files of the device', { skip: skipWithoutBrowser }, () => {
  const visit = visitPlayground()

  it('filters a file of the device exactly as the service does, without any request', async () => {
    const { open, source, url, picture } = visit()
    const body = await createNoisyImage('png', 203, 77)
    const image = source.put('/same.png', { type: 'image/png', body })
    const page = await open(at(picture, 'blur:3'))
    await until(async () => new Set(await page.evaluate<string[]>(READ_THUMBNAILS)).size === 6)
    const requests: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith('blob:')) requests.push(request.url())
    })
    const results = new Map<string, Buffer>()
    const link = page.locator('[data-download]')
    let shown = await link.getAttribute('href')
    const takeResult = async (name: string) => {
      await until(async () => (await link.getAttribute('href')) !== shown)
      shown = await link.getAttribute('href')
      const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
      assert.equal(download.suggestedFilename(), 'filtered.png')
      results.set(name, await readFile(await download.path()))
    }
    await chooseFile(page, 'cat.png', 'image/png', body)
    await takeResult('blur:3')
    assert.match(
      await page.locator('[data-file-note]').innerText(),
      /cat\.png is filtered in your browser\. Nothing is uploaded/,
    )
    assert.equal(await page.locator('[data-copy-url], [data-request]').filter({ visible: true }).count(), 0, 'no URL')
    for (const filter of ['greyscale', 'contrast', 'invert', 'dither565', 'normalize']) {
      await chooseFilter(page, filter)
      await takeResult(filter === 'contrast' ? 'contrast:0.1' : filter)
    }
    await page.getByRole('button', { name: 'Add a filter' }).click()
    await takeResult('normalize,blur:5')
    await assertAccessible(page, '.playground')
    assert.deepEqual(requests, [], 'nothing is uploaded')
    for (const [steps, result] of results) {
      const reply = await fetch(`${url}/api/v2/filter/chain?${new URLSearchParams({ image, steps })}`)
      assert.equal(reply.status, 200, steps)
      assert.ok((await readPixels(result)).equals(await readPixels(Buffer.from(await reply.arrayBuffer()))), steps)
    }
  })

  it('takes dropped and pasted files, resizes them, and a URL replaces them', async () => {
    const { open, picture } = visit()
    const page = await open(at(picture, 'invert'))
    await page.locator('[data-after]').waitFor()
    const details = page.locator('[data-details]')
    await sendFile(page, 'drop', await createNoisyImage('png', 90, 60))
    await until(async () => /90 × 60/.test(await details.innerText()))
    assert.equal(new URL(page.url()).searchParams.get('image'), null)
    await sendFile(page, 'paste', await createNoisyImage('jpeg', 80, 40))
    await until(async () => /80 × 40.*image\/jpeg/.test(await details.innerText()))
    await page.locator('summary').click()
    assert.equal(await page.getByLabel('Maximum bytes').isDisabled(), true)
    await page.getByLabel('Width').fill('20')
    await until(async () => /20 × 10/.test(await details.innerText()))
    await page.getByLabel('Width').fill('x')
    assert.match(await readProblem(page), /"width" must be a whole number/)
    await page.getByLabel('Width').fill('')
    await until(async () => /80 × 40/.test(await details.innerText()))
    await page.locator('#image').fill(picture)
    await until(async () => /64 × 48/.test(await details.innerText()))
    assert.equal(await page.locator('[data-file-note]').isVisible(), false)
    await page.goBack()
    await until(async () => /80 × 40/.test(await details.innerText()))
  })

  it('explains why it does not filter a file', async () => {
    const page = await visit().open(at(visit().picture, 'invert'))
    await page.locator('[data-after]').waitFor()
    for (const [name, type, body, words] of [
      [
        'notes.txt',
        'text/plain',
        Buffer.from('no image'),
        /notes\.txt: This browser cannot read it\. It is not an image/,
      ],
      ['half.png', 'image/png', (await createNoisyImage('png')).subarray(0, 40), /half\.png: .* damaged/],
      ['bomb.png', 'image/png', png(30_000, 30_000, Buffer.alloc(8)), /bomb\.png: .* far too large/],
      ['bomb.webp', 'image/webp', webpBomb(16_000, 16_000), /16000 × 16000 pixels.*up to 25 million/],
    ] as const) {
      await chooseFile(page, name, type, body)
      await until(async () => words.test(await readProblem(page)))
    }
    assert.equal(await page.locator('[data-after]').isVisible(), true, 'the previous image stays')
    await chooseFile(page, 'dance.gif', 'image/gif', await createAnimation('gif'))
    await page.getByText('dance.gif is filtered in your browser. Nothing is uploaded. Only its first frame').waitFor()
    await until(async () => /32 × 32.*image\/png/.test(await page.locator('[data-details]').innerText()))
    assert.equal(await page.locator('[data-problem]').innerText(), '')
  })

  it('offline, it says so and still filters files; online again, it repeats the request', async (t) => {
    const { open, source, context } = visit()
    t.after(() => context.setOffline(false))
    // No other test requests this picture, so it is in no cache.
    const picture = source.put('/offline.png', { type: 'image/png', body: await createNoisyImage('png') })
    const page = await open(at(picture, 'invert'))
    await page.locator('[data-after]').waitFor()
    await context.setOffline(true)
    await page.getByText('You are offline. You can still filter files on your device.').first().waitFor()
    await chooseFilter(page, 'greyscale')
    assert.match(await readProblem(page), /does not reply/)
    assert.equal(await page.locator('[data-after]').isVisible(), true)
    await chooseFile(page, 'cat.png', 'image/png', await createNoisyImage('png', 50, 20))
    await until(async () => /50 × 20/.test(await page.locator('[data-details]').innerText()))
    await page.goBack()
    await until(async () => /does not reply/.test(await readProblem(page)))
    const filtered = waitForFilter(page, 'greyscale')
    await context.setOffline(false)
    await filtered
    await until(async () => (await page.locator('[data-problem]').innerText()) === '')
    assert.equal(await page.locator('[data-offline]').isVisible(), false)
  })
})
