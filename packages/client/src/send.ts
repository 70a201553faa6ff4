import { MenagerieError } from './error.ts'
import { readError } from './replies.ts'

export interface Sending {
  readonly fetch: typeof fetch
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** One request and its whole reply, within its time. */
export async function send<T>(
  url: string,
  init: RequestInit,
  { fetch, timeoutMs, signal }: Sending,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const inner = new AbortController()
  const abort = () => inner.abort(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  let isLate = false
  const late = () => {
    isLate = true
    inner.abort()
  }
  const timer = timeoutMs <= LONGEST_TIMER_MS ? setTimeout(late, timeoutMs) : undefined
  try {
    const response = await fetch(url, { ...init, signal: inner.signal })
    if (!response.ok) throw await readError(response)
    return await read(response)
  } catch (cause) {
    if (cause instanceof MenagerieError) throw cause
    signal?.throwIfAborted()
    if (isLate) {
      throw new MenagerieError('NO_ANSWER_IN_TIME', 0, `The service did not answer within ${timeoutMs} ms.`, { cause })
    }
    const message = `${new URL(url).origin} does not answer; check the address and the connection.`
    throw new MenagerieError('NO_ANSWER', 0, message, { cause })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
