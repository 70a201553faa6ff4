import { after } from 'node:test'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium as driver } from 'playwright-core'
import { chromium } from './external-programs.ts'
import type { Scope } from './scope.ts'

export const skipWithoutBrowser = chromium ? false : 'no chromium on the PATH'

/** A host name that the browser resolves to this machine, but that is not loopback for a page. */
export const NETWORK_NAME = 'menagerie.test'

export interface WatchedBrowser {
  readonly context: BrowserContext
  /** Requests to other hosts. */
  readonly foreignRequests: string[]
  /** Errors in the console: of scripts, and of the content security policy. */
  readonly consoleErrors: string[]
}

// Chromium needs a second of CPU time to start, so all tests of a process share one.
let browser: Promise<Browser> | undefined
after(async () => (await browser)?.close())

const launch = () =>
  driver.launch({
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
      `--host-resolver-rules=MAP ${NETWORK_NAME} 127.0.0.1`,
    ],
  })

/** Of the dashboard over plain HTTP with a network name, where nobody can sign in. */
const IGNORED_HEADER = /^The Cross-Origin-Opener-Policy header has been ignored/

/** Opens an empty profile in a real Chromium, and records its requests to other hosts. */
export async function openBrowser(
  t: Scope,
  ownUrl: string,
  options: BrowserContextOptions = {},
): Promise<WatchedBrowser> {
  browser ??= launch()
  // Without a locale, the headless shell sends no Accept-Language, which the browsers of visitors do.
  const context = await (await browser).newContext({ locale: 'en-US', ...options })
  t.after(() => context.close())
  const foreignRequests: string[] = []
  const consoleErrors: string[] = []
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(ownUrl) && !/^(data|blob):/.test(url)) foreignRequests.push(url)
  })
  context.on('console', (message) => {
    // Chromium does not name the URL of a reply with an error status.
    if (message.type() === 'error' && !IGNORED_HEADER.test(message.text()))
      consoleErrors.push(`${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (failure) => {
    consoleErrors.push(String(failure.error()))
  })
  return { context, foreignRequests, consoleErrors }
}
