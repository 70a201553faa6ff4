// Photographs the pages of a running service for the documents: docs/pictures/.
import { join } from 'node:path'
import { type Browser, chromium as driver, type Page } from 'playwright-core'
import sharp from 'sharp'
import { chromium } from '../test/kit/external-programs.ts'
import { type Example, startExample, visit } from './example-service.ts'

const WIDTH = 1440
/** So long the shortest of the dashboard's charts is. */
const FULL_CHART_MS = 300_000

interface Picture {
  readonly name: string
  readonly path: string
  readonly height: number
  /** Until there is something to see. */
  readonly ready: (page: Page, example: Example) => Promise<unknown>
}

const PICTURES: readonly Picture[] = [
  { name: 'front', path: '/?animal=fox', height: 1000, ready: (page) => page.locator('.animal img').waitFor() },
  {
    name: 'playground',
    path: '/playground?filter=greyscale',
    height: 1000,
    ready: (page) => page.locator('[data-after]').waitFor(),
  },
  {
    name: 'operator',
    path: '/operator',
    height: 1208,
    ready: async (page, { token }) => {
      await page.getByLabel('Token').fill(token)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.locator('.verdict[data-state]').waitFor()
      await page.waitForTimeout(FULL_CHART_MS)
    },
  },
]

async function photograph(browser: Browser, example: Example, { name, path, height, ready }: Picture, folder: string) {
  const page = await browser.newPage({
    viewport: { width: WIDTH, height },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  })
  await page.goto(example.url + path)
  await ready(page, example)
  await page.waitForLoadState('networkidle')
  const file = join(folder, `${name}.webp`)
  await sharp(await page.screenshot())
    .webp({ quality: 84, effort: 6 })
    .toFile(file)
  await page.close()
}

export async function photographPages(folder: string): Promise<void> {
  if (!chromium) throw new Error('pictures of the pages need chromium on the PATH')
  await using example = await startExample()
  const visitors = new AbortController()
  const visiting = visit(example.url, visitors.signal)
  const browser = await driver.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    for (const picture of PICTURES) await photograph(browser, example, picture, folder)
  } finally {
    await browser.close()
    visitors.abort()
    await visiting
  }
}
