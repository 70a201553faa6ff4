import assert from 'node:assert/strict'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Environment } from '../../../src/config/config.ts'
import { openBrowser, type WatchedBrowser } from '../../kit/browser.ts'
import type { Scope } from '../../kit/scope.ts'
import { startTestService, type TestService } from '../../kit/service.ts'

export const desktop = { width: 1280, height: 800 }
export const phone = { width: 390, height: 844 }

export interface Visit extends WatchedBrowser, TestService {
  open(path: string, size?: { width: number; height: number }): Promise<Page>
}

/** The real service, and a real browser on it. */
export async function startVisit(t: Scope, settings: Environment = {}, options: object = {}): Promise<Visit> {
  const service = await startTestService(t, settings)
  const browser = await openBrowser(t, service.url, options)
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  return {
    ...service,
    ...browser,
    async open(path, size = desktop) {
      const page = await browser.context.newPage()
      page.setDefaultTimeout(30_000)
      await page.setViewportSize(size)
      await page.goto(service.url + path)
      return page
    },
  }
}

/** Nothing left for another host, and neither a script nor the policy had anything to complain of. */
export function assertClean({ foreignRequests, consoleErrors }: WatchedBrowser, expected = /(?!)/): void {
  assert.deepEqual(foreignRequests, [])
  assert.deepEqual(
    consoleErrors.filter((complaint) => !expected.test(complaint)),
    [],
  )
}

/** What Chromium writes to its console for each reply that is no success. */
export const FAILED_REQUEST_MESSAGE = /^Failed to load resource: /

export async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }),
  )
  const told = found.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  )
  assert.deepEqual(told, [])
}

export async function assertFits(page: Page): Promise<void> {
  const [wide = 0, seen = 0] = await page.evaluate<number[]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )
  assert.ok(wide <= seen, `${page.url()} is ${wide} px wide in a window of ${seen} px`)
}

export const clipboard = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()')
