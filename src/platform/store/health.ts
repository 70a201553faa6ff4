import { type ApiError, StoreUnavailable } from '../../errors/index.ts'
import type { createRecentProblem, Log } from '../logging/index.ts'
import type { Health } from './store.ts'

/** Long enough for a reconnect, short enough for a launcher to wait. */
const RETRY_AFTER_SECONDS = 5

/** Why the store is unavailable. The message is public: it must not contain a path, an address or a secret. */
export class StoreError extends Error {}

/** The store works, but its data make it reject a call: probes do not notice that. */
export class StoreRejection extends StoreError {}

/** The error that clients see, with the reason as its cause. */
export function toUnavailable(reason: StoreError): ApiError {
  const error = new StoreUnavailable(RETRY_AFTER_SECONDS)
  error.cause = reason
  return error
}

/** The reason why the store is unavailable, or undefined for any other error. */
export const describeStoreError = (error: unknown): string | undefined => {
  const cause = error instanceof StoreUnavailable ? error.cause : error
  return cause instanceof StoreError ? cause.message : undefined
}

export const isRejectedByStore = (error: unknown): boolean =>
  error instanceof StoreUnavailable && error.cause instanceof StoreRejection

/** Everybody may poll /readyz at any rate; the store is probed at most this often. */
const PROBE_INTERVAL_MS = 500

/**
 * Probes the store, and logs when it becomes unavailable or available again. `probe` may return a warning. `incident` is
 * what happened to the data in the last hour.
 */
export function createHealthCheck(
  driver: Health['driver'],
  log: Log,
  incident: ReturnType<typeof createRecentProblem>,
  probe: () => Promise<string | undefined>,
) {
  let latest: { at: number; health: Promise<Health> } | undefined
  let wasOk = true

  const runProbe = async (): Promise<Health> => {
    const start = performance.now()
    let warning: string | undefined
    const reason = await probe().then(
      (result) => {
        warning = result
      },
      (error) => {
        const known = describeStoreError(error)
        if (!known) log.error({ err: error, store: driver }, 'the store probe failed')
        return known ?? 'the store failed; see the log'
      },
    )
    const health = {
      ok: reason === undefined,
      driver,
      message: reason ?? 'working',
      latencyMs: Math.round((performance.now() - start) * 100) / 100,
      ...(warning !== undefined && { warning }),
    }
    if (health.ok !== wasOk) {
      wasOk = health.ok
      if (health.ok) log.info({ store: driver }, 'the store is available again')
      else log.warn({ store: driver, reason }, 'the store is unavailable')
    }
    return health
  }

  return async (): Promise<Health> => {
    const now = performance.now()
    if (!latest || now - latest.at > PROBE_INTERVAL_MS) latest = { at: now, health: runProbe() }
    const health = await latest.health
    return incident.message() ? { ...health, incident: incident.message() } : health
  }
}
