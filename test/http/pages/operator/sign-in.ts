import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Environment } from '../../../../src/config/config.ts'
import { APP, createToken } from '../../../kit/app.ts'
import { temporaryFolder } from '../../../kit/folder.ts'
import { writeFiles } from '../../../kit/releases.ts'
import type { Scope } from '../../../kit/scope.ts'
import { desktop, startVisit, type Visit } from '../visit.ts'

type Files = Record<string, string>

/** The real service over these files of the dedicated application, and a real browser on it. */
export async function visitOperator(t: Scope, files: Files = {}, settings: Environment = {}): Promise<Visit> {
  const folder = await temporaryFolder(t)
  await writeFiles(join(folder, 'app'), files)
  return startVisit(t, { CONTENT_DIR: folder, ...settings })
}

type Wish = Parameters<typeof createToken>[1]

export async function tokenFor(dataDir: string, wish?: Wish): Promise<{ id: string; text: string }> {
  const { id, headers } = await createToken(dataDir, wish)
  return { id, text: headers.Authorization.slice('Bearer '.length) }
}

export async function enter(page: Page, text: string): Promise<void> {
  await page.getByLabel('Token').fill(text)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** A tab in which a token of this kind has signed in. */
export async function signedIn(visit: Visit, wish?: Wish, size = desktop): Promise<Page> {
  const { text } = await tokenFor(visit.dataDir, wish)
  const page = await visit.open('/operator', size)
  await enter(page, text)
  await page.locator('.verdict[data-state]').waitFor()
  return page
}

export const part = (page: Page, name: string) => page.locator(`[data-part="${name}"]`)

export async function ask(visit: Visit, fields: { name: string; contact?: string; reason?: string }) {
  const request = { contact: 'fox@example.org', reason: 'It looks for updates once a day.', ...fields }
  return visit.fetchJson(`${APP}/clients`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
  })
}
