import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium as driver } from 'playwright-core'
import { chromium } from './external-programs.ts'
import type { Scope } from './scope.ts'

export const skipWithoutBrowser = chromium ? false : 'no chromium on the PATH'

export interface Watched {
  readonly context: BrowserContext
  /** Requests to hosts that are not ours. */
  readonly foreign: string[]
  /** What the pages complained of: script errors, refused by the policy. */
  readonly complaints: string[]
}

/** A real Chromium with an empty profile, watched for requests that leave the host. */
export async function openBrowser(t: Scope, ownUrl: string, options: object = {}): Promise<Watched> {
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
  const foreign: string[] = []
  const complaints: string[] = []
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(ownUrl) && !/^(data|blob):/.test(url)) foreign.push(url)
  })
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  context.on('weberror', ({ error }) => {
    const failure = error()
    complaints.push(String(failure))
  })
  return { context, foreign, complaints }
}
