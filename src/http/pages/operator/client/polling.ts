import { announce, one } from '../../shared/client/dom.ts'
import { formatMoment, formatTimeWithSeconds } from './format.ts'
import { call, Refused, SignedOut, Unavailable } from './session.ts'

/** An endpoint that is polled at an interval, and the part of the page that shows its reply. */
export interface Feed {
  readonly path: () => string
  readonly intervalMs: number
  show(body: unknown): void
}

const FIRST_WAIT_S = 2
const MAX_WAIT_S = 30

/** The page states the interval, so that a test can shorten it. */
export const readRefreshInterval = () => Number(one('[data-refresh-ms]').dataset.refreshMs)

export interface Polling {
  /** Polls all feeds, or one, now. */
  refresh(feed?: Feed): Promise<void>
  stop(): void
}

interface PollingEvents {
  signedOut(why: string): void
  /** Called with the time of the last figures when contact is lost, and without it when contact is restored. */
  contactChanged(lostSince?: string): void
}

/** Polls the feeds while the tab is visible. Shows when the service is unavailable, and retries. */
export function startPolling(feeds: readonly Feed[], { signedOut, contactChanged }: PollingEvents): Polling {
  const line = one('[data-connection]')
  const text = one('[data-connection-text]')
  const now = one<HTMLButtonElement>('[data-now]')
  const due = new Map(feeds.map((feed) => [feed, 0]))
  const tickMs = readRefreshInterval() / 5
  const { title } = document
  let failures = 0
  let lastContactAt = new Date()
  let timer: number | undefined
  let running: Promise<void> | undefined
  let stopped = false

  const schedule = (ms: number) => {
    clearTimeout(timer)
    if (!stopped && !document.hidden) timer = setTimeout(turn, ms)
  }

  function showConnected() {
    if (failures > 0) {
      announce('Connection restored')
      document.title = title
      contactChanged()
    }
    failures = 0
    lastContactAt = new Date()
    line.dataset.state = 'live'
    text.textContent = `Live, ${formatTimeWithSeconds(Date.now())}`
    now.hidden = true
  }

  function showLost(error: Error) {
    const lost = `Lost contact since ${formatMoment(lastContactAt.toISOString())}`
    if (failures++ === 0) {
      announce(`${lost}, retrying`)
      document.title = `${lost} · ${title}`
      contactChanged(lastContactAt.toISOString())
    }
    const { seconds } = error as Unavailable
    const wait = seconds ?? Math.min(MAX_WAIT_S, FIRST_WAIT_S * 2 ** (failures - 1))
    line.dataset.state = 'lost'
    text.textContent = `${lost}, retrying in ${wait} s. ${error.message}`
    now.hidden = false
    schedule(wait * 1000)
  }

  async function poll(feed: Feed) {
    due.set(feed, performance.now() + feed.intervalMs)
    try {
      const body = await call(feed.path())
      if (!stopped) feed.show(body)
    } catch (error) {
      due.set(feed, 0)
      throw error
    }
  }

  async function pollDue() {
    const wanted = feeds.filter((feed) => performance.now() >= (due.get(feed) ?? 0))
    try {
      const [first, ...others] = wanted
      // Alone: if the token was revoked, the others would be further wrong tokens, which get the operator banned.
      if (first) await poll(first)
      await Promise.all(others.map(poll))
      if (stopped) return
      if (wanted.length > 0) showConnected()
      schedule(tickMs)
    } catch (error) {
      if (stopped) return
      if (error instanceof SignedOut) signedOut(error.message)
      else {
        // After any other error, too: otherwise the page would look live, and never change again.
        showLost(error as Error)
        if (!(error instanceof Unavailable || error instanceof Refused)) throw error
      }
    }
  }

  function turn(): Promise<void> {
    running ??= pollDue().finally(() => {
      running = undefined
    })
    return running
  }

  const onVisible = () => schedule(0)
  const retry = () => void turn()
  document.addEventListener('visibilitychange', onVisible)
  now.addEventListener('click', retry)
  line.hidden = false
  void turn()

  return {
    async refresh(feed) {
      for (const one of feed ? [feed] : feeds) due.set(one, 0)
      await running
      await turn()
    },
    stop() {
      stopped = true
      document.title = title
      clearTimeout(timer)
      line.hidden = true
      document.removeEventListener('visibilitychange', onVisible)
      now.removeEventListener('click', retry)
    },
  }
}
