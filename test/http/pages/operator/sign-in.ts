import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Environment } from '../../../../src/config/config.ts'
import { APP, createToken } from '../../../kit/app.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { writeFiles } from '../../../kit/releases.ts'
import type { Scope } from '../../../kit/scope.ts'
import { until } from '../../../kit/until.ts'
import { desktop, startVisit, type Visit } from '../visit.ts'

type Files = Record<string, string>

/** Starts the real service with these files of the product, and opens a real browser. */
export async function visitOperator(t: Scope, files: Files = {}, settings: Environment = {}): Promise<Visit> {
  const folder = await temporaryFolder(t)
  await writeFiles(join(folder, 'app'), files)
  return startVisit(t, { CONTENT_DIR: folder, ...settings })
}

type TokenOptions = NonNullable<Parameters<typeof createToken>[1]>

/** Creates a token, and waits until the service knows it: it reads its store at most once in 400 ms. */
export async function tokenFor(
  { dataDir, url }: Pick<Visit, 'dataDir' | 'url'>,
  options: TokenOptions = {},
): Promise<{ id: string; text: string }> {
  const { id, headers } = await createToken(dataDir, options)
  const isExpired = options.expiresAt !== undefined && options.expiresAt <= Date.now()
  if (!isExpired) await until(async () => (await fetch(`${url}${APP}/operator/token`, { headers })).status !== 401)
  return { id, text: headers.Authorization.slice('Bearer '.length) }
}

export async function enter(page: Page, text: string): Promise<void> {
  await page.getByLabel('Token').fill(text)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Shortens the interval of the dashboard. Call it before signing in. Each refresh takes 0.2 seconds of CPU time. */
export const refreshOften = (page: Page, intervalMs = 2000) =>
  page.evaluate(`document.querySelector('[data-refresh-ms]').dataset.refreshMs = '${intervalMs}'`)

/** Opens a tab and signs in with a new token. */
export async function signedIn(
  visit: Visit,
  options?: TokenOptions,
  size = desktop,
  refreshIntervalMs?: number,
): Promise<Page> {
  const { text } = await tokenFor(visit, options)
  const page = await visit.open('/operator', size)
  await refreshOften(page, refreshIntervalMs)
  await enter(page, text)
  await page.locator('.verdict[data-severity]').waitFor()
  return page
}

export const part = (page: Page, name: string) => page.locator(`[data-part="${name}"]`)

/** Sends a request for a client key. */
export async function requestKey(visit: Visit, fields: { name: string; contact?: string; reason?: string }) {
  const request = { contact: 'fox@example.org', reason: 'It looks for updates once a day.', ...fields }
  return visit.fetchJson(`${APP}/clients`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
  })
}
