import { announce, one } from '../../shared/client/dom.ts'
import { atSecond } from './format.ts'
import { Away, call, SignedOut } from './session.ts'

/** Something that is asked for again and again. */
export interface Feed {
  readonly path: () => string
  readonly everyMs: number
  /** Each knows what its own path answers. */
  show(body: unknown): void
}

const SOON_MS = 1000
const FIRST_WAIT_S = 2
const LONGEST_WAIT_S = 30

export interface Contact {
  /** Asks again at once, all of them or one. */
  refresh(feed?: Feed): Promise<void>
  stop(): void
}

/** Keeps the feeds fresh while the tab is seen; says so where the service is away, and tries again by itself. */
export function keepContact(feeds: readonly Feed[], signedOut: (why: string) => void): Contact {
  const line = one('[data-contact]')
  const words = one('[data-contact-words]')
  const now = one<HTMLButtonElement>('[data-now]')
  const due = new Map(feeds.map((feed) => [feed, 0]))
  let failures = 0
  let timer: number | undefined
  let running: Promise<void> | undefined
  let stopped = false

  const later = (ms: number) => {
    clearTimeout(timer)
    if (!stopped && !document.hidden) timer = setTimeout(turn, ms)
  }

  function well() {
    if (failures > 0) announce('In contact again')
    failures = 0
    line.dataset.state = 'live'
    words.textContent = `Live, ${atSecond(Date.now())}`
    now.hidden = true
  }

  function lost(error: Error) {
    if (failures++ === 0) announce('Lost contact, trying again')
    const { seconds } = error as Away
    const wait = seconds ?? Math.min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (failures - 1))
    line.dataset.state = 'lost'
    words.textContent = `Lost contact, trying again in ${wait} s. ${error.message}`
    now.hidden = false
    later(wait * 1000)
  }

  async function askFor(feed: Feed) {
    due.set(feed, performance.now() + feed.everyMs)
    try {
      const body = await call(feed.path())
      if (!stopped) feed.show(body)
    } catch (error) {
      due.set(feed, 0)
      throw error
    }
  }

  async function askAll() {
    const wanted = feeds.filter((feed) => performance.now() >= (due.get(feed) ?? 0))
    try {
      await Promise.all(wanted.map(askFor))
      if (stopped) return
      if (wanted.length > 0) well()
      later(SOON_MS)
    } catch (error) {
      if (stopped) return
      if (error instanceof SignedOut) signedOut(error.message)
      else if (error instanceof Away) lost(error)
      else throw error
    }
  }

  function turn(): Promise<void> {
    running ??= askAll().finally(() => {
      running = undefined
    })
    return running
  }

  const seen = () => later(0)
  const retry = () => void turn()
  document.addEventListener('visibilitychange', seen)
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
      clearTimeout(timer)
      line.hidden = true
      document.removeEventListener('visibilitychange', seen)
      now.removeEventListener('click', retry)
    },
  }
}
