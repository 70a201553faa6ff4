import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type axe from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Environment } from '../../../src/config/config.ts'
import { openBrowser, type WatchedBrowser } from '../../kit/browser.ts'
import { ROOT } from '../../kit/root.ts'
import type { Scope } from '../../kit/scope.ts'
import { startTestService, type TestService } from '../../kit/service.ts'

export const desktop = { width: 1280, height: 800 }
export const phone = { width: 390, height: 844 }

export interface Visit extends WatchedBrowser, TestService {
  open(path: string, size?: { width: number; height: number }): Promise<Page>
  /** For `afterEach`: an open page continues to compute. One tab stays for the next test: a new one costs a second. */
  closePages(): Promise<void>
}

/** Starts the real service, and opens a real browser. */
export async function startVisit(
  t: Scope,
  settings: Environment = {},
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const service = await startTestService(t, settings)
  const browser = await openBrowser(t, service.url, options)
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  let emptyTab: Page | undefined
  return {
    ...service,
    ...browser,
    async open(path, size = desktop) {
      const page = emptyTab ?? (await browser.context.newPage())
      emptyTab = undefined
      page.setDefaultTimeout(30_000)
      await page.setViewportSize(size)
      await page.goto(service.url + path)
      return page
    },
    async closePages() {
      const [first, ...others] = browser.context.pages()
      await Promise.all(others.map((page) => page.close()))
      if (!first) return
      // A small resource of the same origin, so that the process of the tab can stay, too.
      await first.goto(`${service.url}/robots.txt`)
      await first.evaluate('sessionStorage.clear()')
      await first.emulateMedia({ media: null, colorScheme: null, reducedMotion: null })
      await first.mouse.move(0, 0)
      emptyTab = first
    },
  }
}

/**
 * Asserts that no request went to another host, and that there are no other console errors than the expected ones. What
 * it reports once does not fail the next test, too.
 */
export function assertClean({ foreignRequests, consoleErrors }: WatchedBrowser, expected = /(?!)/): void {
  assert.deepEqual(foreignRequests.splice(0), [])
  assert.deepEqual(
    consoleErrors.splice(0).filter((message) => !expected.test(message)),
    [],
  )
}

/** Chromium writes this to the console for each reply with an error status. */
export const FAILED_REQUEST_MESSAGE = /^Failed to load resource: /

const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The rules whose result depends on the theme or the size of the window. */
const STYLE_RULES = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size']

type Axe = { axe: { run(context: object, options: object): Promise<axe.AxeResults> } }
// Read, not imported: only the page runs it.
const AXE_SOURCE = readFileSync(join(ROOT, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8')

/** Asserts that axe finds no violation in the page, or in the parts of it that a selector names. */
export const assertAccessible = (page: Page, selector = 'html') => runAxe(page, selector, ALL_RULES)

/** The same for a page that passed `assertAccessible` in another theme or size: most rules need not run again. */
export const assertStylesAccessible = (page: Page) => runAxe(page, 'html', STYLE_RULES)

/** The same for a page with the styles of another page. */
export const assertMarkupAccessible = (page: Page) => runAxe(page, 'html', ALL_RULES, STYLE_RULES)

/** Rows of a table, and the operations of a group in the reference. */
const ALIKE = 'tbody tr:nth-child(n+4), .tag-section-container .contents > :nth-child(n+2)'

async function runAxe(page: Page, include: string, runOnly: string[], except: string[] = []): Promise<void> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE_SOURCE)
  const context = { include, exclude: ALIKE } satisfies axe.ContextObject
  const rules = Object.fromEntries(except.map((rule) => [rule, { enabled: false }]))
  // No rule that runs here needs the stylesheets that axe would load again.
  const options: axe.RunOptions = { runOnly, rules, resultTypes: ['violations'], selectors: false, preload: false }
  const { violations } = await page.evaluate(
    ([context, options]) => (globalThis as unknown as Axe).axe.run(context, options),
    [context, options] as const,
  )
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
  assert.deepEqual(found, [])
}

/** Asserts that the page does not scroll sideways. */
export async function assertFits(page: Page): Promise<void> {
  const [content = 0, visible = 0] = await page.evaluate<number[]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )
  assert.ok(content <= visible, `${page.url()} is ${content} px wide in a window of ${visible} px`)
}

/** In narrow windows, and with text of twice the size. 640 is the width of a window of 1280 pixels at 200 % zoom. */
export async function assertFitsEverywhere(page: Page): Promise<void> {
  for (const width of [320, 360, 640]) {
    await page.setViewportSize({ width, height: 640 })
    await assertFits(page)
  }
  await page.evaluate("document.documentElement.style.fontSize = '200%'")
  await assertFits(page)
  await page.evaluate("document.documentElement.style.fontSize = ''")
}

export const readClipboard = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()')
