import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { webpBomb } from '../../kit/broken-pictures.ts'
import { skipWithoutBrowser } from '../../kit/browser.ts'
import { until } from '../../kit/until.ts'
import { at, chooseFilter, readProblem, stepsOf, visitPlayground } from './playground-visit.ts'
import { phone } from './visit.ts'

describe('the filter playground explains errors', { skip: skipWithoutBrowser }, () => {
  const visit = visitPlayground()

  it('marks the field that the API rejects, and says when the fallback is shown', async () => {
    const { open, source } = visit()
    const page = await open(at(`${source.url}/none.png`, 'blur:5', { fallback: 'cat', width: '0' }))
    assert.match(await readProblem(page), /"width" must be a whole number/)
    assert.equal(await page.getByLabel('Width').getAttribute('aria-invalid'), 'true')
    await page.getByLabel('Width').fill('40')
    await until(async () => /40 × 40.*IMAGE_UNREACHABLE/s.test(await page.locator('[data-details]').innerText()))
    assert.equal(await page.getByLabel('Width').getAttribute('aria-invalid'), 'false')
  })

  it('explains each error, and says that there is no image to show, until there is one', async () => {
    const { open, source, picture } = visit()
    const bomb = source.put('/bomb.webp', { type: 'image/webp', body: webpBomb(16_000, 16_000) })
    const markup = source.put('/page', { type: 'text/html', body: '<!doctype html><title>A cat</title>' })
    const page = await open('/playground?steps=blur', phone)
    for (const [image, words] of [
      ['http://192.168.1.1/a.png', /not on the public internet.*Private networks/s],
      ['cat', /absolute http or https URL.*starts with https/s],
      [' ', /"image" is required/],
      [`${source.url}/none.png`, /status 404.*Open the URL/s],
      [bomb, /more than 40000000 pixels/],
      [markup, /copy its address/],
    ] as const) {
      await page.locator('#image').fill(image)
      await page.locator('#image').press('Enter')
      await until(async () => words.test(await readProblem(page)))
      assert.equal(await page.locator('[data-after]').isVisible(), false)
    }
    await page.getByText('No image to show').waitFor()
    await page.locator('#image').fill(picture)
    await page.locator('[data-after]').waitFor()
    assert.equal(await page.getByText('No image to show').isVisible(), false)
  })

  it('lists the filters if the named one does not exist, until one is chosen', async () => {
    const page = await visit().open(at(visit().picture, 'nope,blur:7'))
    const message = page.locator('[data-url-problem]')
    assert.match(await message.innerText(), /no filter "nope".*Use one of: blur, .*normalize.*It is left out/)
    await page.locator('[data-after]').waitFor()
    assert.equal(await message.isVisible(), true)
    assert.equal(stepsOf(page), 'blur:7')
    await chooseFilter(page, 'invert')
    await message.waitFor({ state: 'detached' })
  })

  it('offers a button that corrects a strength out of range', async () => {
    const page = await visit().open(at(visit().picture, 'invert,blur:9999'))
    assert.match(await readProblem(page), /from 1 to 256/)
    await page.getByRole('button', { name: 'Use 256 for blur' }).click()
    await page.locator('[data-after]').waitFor()
    assert.equal(await page.locator('[data-problem]').innerText(), '')
  })

  it('a link cannot make the browser request anything but filters and pictures', async () => {
    const { open, url, picture, fetchPath } = visit()
    const page = await open('/robots.txt')
    const paths = new Set<string>()
    page.on('request', (request) => {
      const { protocol, pathname } = new URL(request.url())
      if (protocol === 'http:') paths.add(pathname.replace(/^(\/api\/v2\/filter|\/media|\/site)\/.*/, '$1'))
    })
    const attack = 'api/v5/app/operator/x?a=../../etc/passwd'
    for (const path of ['media/../', 'media/%2e%2e/', 'media\\..\\']) {
      await page.goto(url + at(`${url}/${path}${attack}`, 'blur'))
      await readProblem(page)
    }
    await page.goto(url + at(picture, '../../v5/app/operator/x,blur:../../etc/passwd'))
    await page.locator('[data-before]').waitFor()
    assert.deepEqual([...paths].sort(), ['/api/v2/filter', '/media', '/playground', '/site'])
    assert.equal((await fetchPath('/healthz')).status, 200, 'the visitor is not banned')
  })
})
