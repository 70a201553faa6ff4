import { withTimeout } from './with-timeout.ts'

const CLOSE_TIMEOUT_MS = 2000

/** Runs `send`, one run at a time. Of several failures in a row only the first is reported. Nothing here rejects. */
export function createFlusher(send: () => Promise<void>, reportFailure: (error: unknown) => void) {
  let sending: Promise<void> | undefined
  let hasFailed = false

  const run = async () => {
    try {
      await send()
      hasFailed = false
    } catch (error) {
      if (!hasFailed) reportFailure(error)
      hasFailed = true
    }
  }

  const flush = (): Promise<void> => {
    sending ??= run().finally(() => {
      sending = undefined
    })
    return sending
  }

  return {
    flush,
    /** Sends what was added during a running `send`, too. */
    async close(): Promise<void> {
      await sending
      await withTimeout(CLOSE_TIMEOUT_MS, flush(), () => {})
    },
  }
}
