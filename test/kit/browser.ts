import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium as driver } from 'playwright-core'
import { chromium } from './external-programs.ts'
import type { Scope } from './scope.ts'

export const skipWithoutBrowser = chromium ? false : 'no chromium on the PATH'

export interface WatchedBrowser {
  readonly context: BrowserContext
  /** Requests to other hosts. */
  readonly foreignRequests: string[]
  /** Errors in the console: of scripts, and of the content security policy. */
  readonly consoleErrors: string[]
}

/** Starts a real Chromium with an empty profile, and records requests to other hosts. */
export async function openBrowser(t: Scope, ownUrl: string, options: object = {}): Promise<WatchedBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'menagerie-browser-'))
  const context = await driver.launchPersistentContext(profile, {
    executablePath: chromium ?? '',
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    ...options,
  })
  t.after(async () => {
    await context.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  const foreignRequests: string[] = []
  const consoleErrors: string[] = []
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(ownUrl) && !/^(data|blob):/.test(url)) foreignRequests.push(url)
  })
  context.on('console', (message) => {
    if (message.type() === 'error') consoleErrors.push(message.text())
  })
  context.on('weberror', ({ error }) => {
    const failure = error()
    consoleErrors.push(String(failure))
  })
  return { context, foreignRequests, consoleErrors }
}
