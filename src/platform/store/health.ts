import type { Log } from '../logging/index.ts'
import type { Health } from './store.ts'
import { troubleOf } from './unavailable.ts'

/** /readyz may be asked by anyone, as often as they like; the store is not. */
const REMEMBER_MS = 500

/** Tells how a probe went, and logs when that changes. */
export function rememberHealth(driver: Health['driver'], log: Log, probe: () => Promise<unknown>) {
  let known: { at: number; health: Promise<Health> } | undefined
  let wasOk = true

  const unexpected = (err: unknown) => {
    log.error({ err, store: driver }, 'the probe of the store failed')
    return 'the store failed; the log says how'
  }

  const look = async (): Promise<Health> => {
    const start = performance.now()
    const trouble = await probe().then(
      () => undefined,
      (error) => troubleOf(error) ?? unexpected(error),
    )
    const health = {
      ok: trouble === undefined,
      driver,
      message: trouble ?? 'working',
      latencyMs: Math.round((performance.now() - start) * 100) / 100,
    }
    if (health.ok !== wasOk) {
      wasOk = health.ok
      if (health.ok) log.info({ store: driver }, 'the store is back')
      else log.warn({ store: driver, trouble }, 'the store is away')
    }
    return health
  }

  return (): Promise<Health> => {
    const now = performance.now()
    if (!known || now - known.at > REMEMBER_MS) known = { at: now, health: look() }
    return known.health
  }
}
