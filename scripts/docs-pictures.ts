// Creates the pictures in docs/pictures/: a sheet of drawn animals, and screenshots of a service with simulated visitors,
// which takes five minutes. Run it when the drawings or the pages have changed.
import { join } from 'node:path'
import { type Browser, chromium as driver, type Page } from 'playwright-core'
import sharp from 'sharp'
import { artistKinds, draw } from '../packages/artist/src/index.ts'
import { renderSvg } from '../src/platform/image-formats/index.ts'
import { chromium } from '../test/kit/external-programs.ts'
import { type Example, simulateVisitors, startExample } from './example-service.ts'

const FOLDER = join(import.meta.dirname, '..', 'docs', 'pictures')
const CELL = 168
const GAP = 8
const SEEDS: Readonly<Record<string, readonly string[]>> = {
  cat: ['1', '3', '20'],
  dog: ['6', '20', '31'],
  fox: ['1', '2', '3'],
  fish: ['1', '2', '3'],
  alpaca: ['2', '10', '38'],
  bird: ['1', '2', '3'],
}

const WIDTH = 1440
/** The time span of the shortest chart of the dashboard: after it the chart is full. */
const FULL_CHART_MS = 300_000

interface Screenshot {
  readonly name: string
  readonly path: string
  readonly height: number
  /** Resolves when the page shows its content. */
  readonly ready: (page: Page, example: Example) => Promise<unknown>
}

const SCREENSHOTS: readonly Screenshot[] = [
  { name: 'front', path: '/?animal=fox', height: 1000, ready: (page) => page.locator('.animal img').waitFor() },
  {
    name: 'playground',
    path: '/playground?steps=greyscale,contrast:0.3',
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
      await page.locator('[data-verdict]').filter({ hasNotText: 'Loading' }).waitFor()
      await page.waitForTimeout(FULL_CHART_MS)
    },
  },
]

async function takeScreenshot(
  browser: Browser,
  example: Example,
  { name, path, height, ready }: Screenshot,
  folder: string,
) {
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

async function takeScreenshots(folder: string): Promise<void> {
  if (!chromium) throw new Error('screenshots need chromium on the PATH')
  await using example = await startExample()
  const stop = new AbortController()
  const visiting = simulateVisitors(example.url, stop.signal)
  const browser = await driver.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    for (const screenshot of SCREENSHOTS) await takeScreenshot(browser, example, screenshot, folder)
  } finally {
    await browser.close()
    stop.abort()
    await visiting
  }
}

const cells = artistKinds.flatMap((kind) => (SEEDS[kind] ?? []).map((seed) => ({ kind, seed })))
const columns = 9
const rows = Math.ceil(cells.length / columns)
const tiles = await Promise.all(
  cells.map(async ({ kind, seed }, i) => ({
    input: await renderSvg(Buffer.from(draw(kind, seed)), 'png', CELL),
    left: (i % columns) * (CELL + GAP),
    top: Math.floor(i / columns) * (CELL + GAP),
  })),
)
const size = { width: columns * (CELL + GAP) - GAP, height: rows * (CELL + GAP) - GAP }
await sharp({ create: { ...size, channels: 4, background: '#00000000' } })
  .composite(tiles)
  .webp({ quality: 88 })
  .toFile(join(FOLDER, 'animals.webp'))
await takeScreenshots(FOLDER)
