import type { Log } from '../../platform/logging/index.ts'
import type { Clock } from '../../platform/store/index.ts'
import { callerOf, createAddressTest } from './address.ts'

const WARN_EVERY_MS = 3_600_000

export interface SparedOptions {
  /** Addresses and CIDRs that are never banned. */
  readonly exempt: readonly string[]
  /** Nor are these: behind the address of a proxy is everybody. */
  readonly proxies?: readonly string[]
  readonly log: Log
  readonly clock?: Clock
}

/** Whom no ban hits. */
export function createSpared({ exempt, proxies = [], log, clock = Date.now }: SparedOptions) {
  const isSpared = createAddressTest([...exempt, ...proxies])
  const isProxy = createAddressTest(proxies)
  let warnedAt = Number.NEGATIVE_INFINITY

  const warnOf = (proxy: string) => {
    const now = clock()
    if (now - warnedAt < WARN_EVERY_MS) return
    warnedAt = now
    log.warn(
      { proxy: callerOf(proxy), setting: 'TRUST_PROXY' },
      'an attack came through a proxy in TRUST_PROXY that names no caller in X-Forwarded-For, so nobody is banned',
    )
  }

  return {
    has: isSpared,
    /** Of an address that did what others are banned for. */
    hasAttacker(address: string): boolean {
      if (isProxy(address)) warnOf(address)
      return isSpared(address)
    },
  }
}
