import { MenagerieError } from './error.ts'

export interface Patience {
  /** How many times a GET is tried again after 429, 503 or no answer. */
  readonly retries: number
  /** All pauses of a call together; who is asked to wait longer gets the error at once. */
  readonly maxWaitMs: number
}

/** Doubled with each retry, where the service does not say how long to wait. */
const FIRST_PAUSE_MS = 250

export async function withRetries<T>(
  work: () => Promise<T>,
  { retries, maxWaitMs }: Patience,
  signal: AbortSignal | undefined,
): Promise<T> {
  let left = maxWaitMs
  for (let nth = 0; ; nth++) {
    try {
      return await work()
    } catch (error) {
      const wanted = nth < retries ? pauseAfter(error, nth) : undefined
      if (wanted === undefined || wanted.least > left) throw error
      const pause = Math.min(wanted.least + Math.random() * wanted.jitter, left)
      left -= pause
      await waitFor(pause, signal)
    }
  }
}

/** The jitter keeps the clients of one outage from coming back all at the same moment. */
function pauseAfter(error: unknown, nth: number): { least: number; jitter: number } | undefined {
  if (!(error instanceof MenagerieError)) return undefined
  const { status, code, retryAfter } = error
  if (status !== 429 && status !== 503 && code !== 'NO_ANSWER') return undefined
  const backoff = FIRST_PAUSE_MS * 2 ** nth
  return retryAfter === undefined
    ? { least: backoff / 2, jitter: backoff }
    : { least: retryAfter * 1000, jitter: backoff }
}

const waitFor = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end, { once: true })
    if (signal?.aborted) end()
  })
