// What a first visit of each page costs, in a real Chromium with an empty cache: bytes, requests, paints and shifts.
import { type Browser, chromium as driver } from 'playwright-core'
import { chromium } from '../test/kit/external-programs.ts'
import { bench, benchScope, median, startMenagerie } from './harness.ts'

const ROUNDS = 3
/** A phone of common size. */
const SCREEN = { width: 412, height: 823 }
const PAGES = [
  '/',
  '/a/fox/Ada',
  '/playground',
  '/docs/guides',
  '/docs/guides/getting-started',
  '/docs',
  '/v5-access',
  '/operator',
  '/no-such-page',
]

/** The browser reports paints and shifts only to observers. */
const OBSERVE = `globalThis.figures = { firstPaint: 0, largestPaint: 0, shift: 0 }
const observe = (type, note) =>
  new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true })
observe('paint', ({ name, startTime }) => { if (name === 'first-contentful-paint') figures.firstPaint = startTime })
observe('largest-contentful-paint', ({ startTime }) => { figures.largestPaint = startTime })
observe('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) figures.shift += value })`

interface Visit {
  readonly bytes: number
  /** Without pictures: what every visit of the page needs. */
  readonly codeBytes: number
  readonly requests: number
  readonly firstPaint: number
  readonly largestPaint: number
  readonly shift: number
  readonly errors: number
}

async function visit(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: SCREEN, locale: 'en-US' })
  try {
    const page = await context.newPage()
    const devTools = await context.newCDPSession(page)
    const types = new Map<string, string>()
    let bytes = 0
    let codeBytes = 0
    let errors = 0
    devTools.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type))
    devTools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      bytes += encodedDataLength
      if (types.get(requestId) !== 'Image') codeBytes += encodedDataLength
    })
    await devTools.send('Network.enable')
    page.on('console', (message) => {
      if (message.type() === 'error') errors++
    })
    page.on('pageerror', () => errors++)
    await page.addInitScript(OBSERVE)
    const reply = await page.goto(url, { waitUntil: 'networkidle', timeout: 120_000 })
    // Chromium writes an error for the status of the page itself.
    if (reply?.status() === 404) errors--
    const figures = await page.evaluate<Pick<Visit, 'firstPaint' | 'largestPaint' | 'shift'>>('figures')
    return { ...figures, bytes, codeBytes, requests: types.size, errors }
  } finally {
    await context.close()
  }
}

const kilobytes = (bytes: number) => (bytes / 1000).toFixed(0)

await bench(async () => {
  if (!chromium) throw new Error('This benchmark needs chromium on the PATH.')
  const url = await startMenagerie()
  const browser = await driver.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] })
  benchScope.after(() => browser.close())
  console.log('\nThe first visit of each page\n')
  console.log(
    '| page | KB | without pictures | requests | first paint, ms | largest paint, ms | layout shift | errors |',
  )
  console.log('|---|---:|---:|---:|---:|---:|---:|---:|')
  for (const path of PAGES) {
    // Not counted: the service reads the files of the page.
    await visit(browser, url + path)
    const visits: Visit[] = []
    for (let round = 0; round < ROUNDS; round++) visits.push(await visit(browser, url + path))
    const of = (figure: keyof Visit) => median(visits.map((one) => one[figure]))
    const cells = [
      `\`${path}\``,
      kilobytes(of('bytes')),
      kilobytes(of('codeBytes')),
      of('requests'),
      of('firstPaint').toFixed(0),
      of('largestPaint').toFixed(0),
      of('shift').toFixed(3),
      of('errors'),
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
})
