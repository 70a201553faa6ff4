// Delivers messages to webhooks: one bounded queue per webhook, so that one that hangs does not delay the others.
import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '../../platform/concurrency/index.ts'
import type { Log } from '../../platform/logging/index.ts'
import { createFetcher, FetchError, type SourceTurns } from '../../platform/net/index.ts'
import { formatNotification, type Notification, parseWebhook, type Webhook } from './webhook-format.ts'

const MAX_QUEUED = 50
const MAX_ATTEMPTS = 5
/** Before the second attempt. Each further delay is four times as long, so the four delays add up to 85 seconds. */
const FIRST_DELAY_MS = 1000
/** If the webhook asks for a longer delay (Retry-After), the notification fails. */
const MAX_DELAY_MS = 300_000
const TIMEOUT_MS = 10_000
/** When the service stops, it waits this long for notifications that are being sent. */
const CLOSE_TIMEOUT_MS = 1000

interface NotifierOptions {
  /** The value of NOTIFY_URLS. */
  readonly urls: readonly string[]
  readonly userAgent: string
  readonly log: Log
  readonly firstDelayMs?: number
  readonly timeoutMs?: number
  readonly sourceTurns?: SourceTurns
}

export function createNotifier(options: NotifierOptions) {
  const { urls, log, firstDelayMs = FIRST_DELAY_MS } = options
  const webhooks = urls.map(parseWebhook)
  const sender = createSender(webhooks, options)
  const closing = new AbortController()
  const outcomes = { sent: 0, failed: 0, dropped: 0 }

  const deliver = async (webhook: Webhook, notification: Notification): Promise<Result> => {
    for (let attempt = 1; ; attempt++) {
      const result = await sender.send(webhook, notification)
      const delay = Math.max(firstDelayMs * 4 ** (attempt - 1), result?.retryAfterMs ?? 0)
      const isLast = !result?.canRetry || attempt === MAX_ATTEMPTS || delay > MAX_DELAY_MS || closing.signal.aborted
      if (isLast) return result
      await sleep(delay, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }

  const queues = webhooks.map((webhook) => {
    const waiting: Notification[] = []
    let running: Promise<void> | undefined
    let failure: string | undefined

    const run = async () => {
      for (let notification = waiting[0]; notification && !closing.signal.aborted; notification = waiting[0]) {
        const result = await deliver(webhook, notification)
        waiting.shift()
        failure = result && `${webhook.label}: ${result.reason}`
        outcomes[result ? 'failed' : 'sent']++
        if (result)
          log.warn({ event: notification.event, reason: result.reason }, `${webhook.label} got no notification`)
      }
      running = undefined
    }

    return {
      failure: () => failure,
      running: () => running,
      add(notification: Notification) {
        if (waiting.length >= MAX_QUEUED) {
          outcomes.dropped++
          return
        }
        waiting.push(notification)
        running ??= run()
      },
    }
  })

  return {
    /** Does not wait, and never throws. */
    send: (notification: Notification) => {
      for (const queue of queues) queue.add(notification)
    },
    /** The number of messages since the start, by outcome. A message to two webhooks counts twice. */
    status: () => ({ ...outcomes }),
    /** The webhooks whose last message failed. */
    problem: () => {
      const failures = queues.map(({ failure }) => failure()).filter((failure) => failure !== undefined)
      return failures.length > 0 ? `the last notification was not delivered: ${failures.join('; ')}` : undefined
    },
    async close() {
      const all = Promise.all(queues.map(({ running }) => running()))
      closing.abort()
      await withTimeout<unknown>(CLOSE_TIMEOUT_MS, all, () => undefined)
      sender[Symbol.dispose]()
    },
  }
}

/** Sends a message to each webhook once, without further attempts. */
export async function sendToAll(
  { urls, userAgent }: Pick<NotifierOptions, 'urls' | 'userAgent'>,
  notification: Notification,
) {
  const webhooks = urls.map(parseWebhook)
  using sender = createSender(webhooks, { userAgent })
  return await Promise.all(
    webhooks.map(async (webhook) => ({
      webhook: webhook.label,
      problem: (await sender.send(webhook, notification))?.reason,
    })),
  )
}

/** Undefined: the message was delivered. */
type Result = { readonly reason: string; readonly canRetry: boolean; readonly retryAfterMs?: number } | undefined

type SenderOptions = Pick<NotifierOptions, 'userAgent' | 'timeoutMs' | 'sourceTurns'>

function createSender(webhooks: readonly Webhook[], { userAgent, timeoutMs = TIMEOUT_MS, sourceTurns }: SenderOptions) {
  const fetcher = createFetcher({
    allowHosts: webhooks.map(({ host }) => host),
    userAgent,
    totalTimeoutMs: timeoutMs,
    headersTimeoutMs: timeoutMs,
    sourceTurns,
  })
  const closed = new AbortController()
  return {
    async send(webhook: Webhook, notification: Notification): Promise<Result> {
      const { body, headers } = formatNotification(webhook, notification, new Date())
      try {
        const request = { body, headers: { ...headers, ...webhook.headers }, signal: closed.signal }
        const reply = await fetcher.post(webhook.url, request)
        return readReply(reply.status, reply.headers['retry-after'])
      } catch (error) {
        if (closed.signal.aborted) return { reason: 'the service stopped', canRetry: false }
        return { reason: describeFailure(error), canRetry: true }
      }
    },
    [Symbol.dispose]() {
      closed.abort()
      fetcher.close()
    },
  }
}

function readReply(status: number, retryAfter: string | undefined): Result {
  if (status >= 200 && status < 300) return undefined
  const reason = `replied with status ${status}`
  if (status >= 300 && status < 400) return { reason: `${reason}; redirects are not followed`, canRetry: false }
  const canRetry = status >= 500 || status === 429 || status === 408
  return { reason, canRetry, retryAfterMs: parseRetryAfter(retryAfter) }
}

/** Seconds (Discord sends fractions), or a date. 0 if there is no valid value. */
function parseRetryAfter(text = ''): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return seconds > 0 ? seconds * 1000 : 0
}

function describeFailure(error: unknown): string {
  if (!(error instanceof FetchError)) return 'the message could not be sent'
  const { problem, max } = error.details
  return error.reason === 'timeout' ? `did not reply within ${max} ms` : (problem ?? error.reason)
}
