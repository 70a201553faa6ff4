import type { Lease, Leases } from '../../platform/store/index.ts'
import { createGenerations } from './generations.ts'
import { type Account, createLeaseDesk, debtOf, openAccount, type Waiter } from './lease-desk.ts'
import { type Budget, createLimiter, type LimiterOptions, type Taken } from './limiter.ts'

export interface SharedLimiter {
  /** A promise only where this node holds nothing of the caller's budget. */
  take(key: string): Taken | Promise<Taken>
  status(): SharedLimits
  close(): void
}

export interface SharedLimits {
  /** The store does not answer: each node limits by itself. */
  readonly isAway: boolean
  /** Callers of whose budget this node holds a part. */
  readonly leases: number
  /** Asks that were sent to the store, requests that waited for an answer, and those decided without the store. */
  readonly asked: number
  readonly waited: number
  readonly fallbacks: number
}

export interface SharedOptions extends LimiterOptions {
  readonly name: string
  readonly leases: Leases
  readonly waitMs?: number
  readonly retryMs?: number
}

/** Of a budget: what one node may hold for later, and what it may let through before the store has heard of it. */
const SHARE = 1 / 20
const MAX_CREDIT = 8
/** What is not used after so long is given back. */
const LEASE_MS = 1000
const WAIT_MS = 100
const RETRY_MS = 500
const MAX_KEYS = 10_000

export const creditOf = ({ requests }: Budget) => Math.min(MAX_CREDIT, Math.floor(requests * SHARE))

/**
 * One budget over all nodes. Ordinary callers never wait: a node lets a few requests through and tells the store afterwards,
 * and holds a small part of the budget of busier callers. Only where it holds nothing does a request wait for the store. The
 * limit of this node alone is kept beside it, and decides while the store is away or slow.
 */
export function createSharedLimiter(budget: Budget, options: SharedOptions): SharedLimiter {
  const { name, leases, mostKeys = MAX_KEYS, now = () => performance.now() } = options
  const { waitMs = WAIT_MS, retryMs = RETRY_MS } = options
  const { requests, seconds } = budget
  const eachMs = (seconds * 1000) / requests
  const credit = creditOf(budget)
  const mostHeld = Math.floor(requests * SHARE)
  const local = createLimiter(budget, { mostKeys, now })
  const accounts = createGenerations(mostKeys, (caller) => openAccount(caller, requests))
  /** In the order in which they began to hold something. */
  const holders = new Set<Account>()
  const waiting = new Set<Waiter & { account: Account }>()
  let waited = 0
  let fallbacks = 0

  const desk = createLeaseDesk({
    leases,
    budget: { name, ...budget },
    waitMs,
    retryMs,
    now,
    onAnswer: receive,
    onAway() {
      for (const { account, settle, here } of waiting) {
        account.waiters = []
        // Told when the store is back.
        account.held--
        fallbacks++
        settle(here)
      }
    },
  })

  /** What the shared budget has, as far as is known here: it refills by itself. */
  const leftOf = ({ beyond, at, held }: Account, moment: number) =>
    Math.min(requests, beyond + (moment - at) / eachMs) + held

  function ask(account: Account, moment: number): void {
    // Who asks again soon gets more ahead, who does not gets none.
    if (!account.asking) {
      const isBusy = moment - account.askedAt < LEASE_MS
      account.ahead = isBusy ? Math.min(Math.max(1, account.ahead * 2), mostHeld) : 0
      account.askedAt = moment
    }
    desk.ask(account)
  }

  const refuse = (account: Account, moment: number): Taken => {
    local.giveBack(account.caller)
    const lackingMs = (1 - leftOf(account, moment)) * eachMs
    return { remaining: 0, retryAfter: Math.max(1, Math.ceil(lackingMs / 1000)) }
  }

  const allow = (account: Account, here: Taken, moment: number): Taken => {
    account.held--
    const left = Math.floor(leftOf(account, moment))
    return { remaining: Math.max(0, Math.min(here.remaining, left)), retryAfter: 0 }
  }

  function wait(account: Account, here: Taken, moment: number): Promise<Taken> {
    const { promise, resolve } = Promise.withResolvers<Taken>()
    const waiter = {
      account,
      here,
      settle(taken: Taken) {
        clearTimeout(timer)
        waiting.delete(waiter)
        resolve(taken)
      },
    }
    const isLate = () => {
      if (waiting.has(waiter)) desk.leave()
    }
    // One more turn: where this process was busy, the answer is there and not read yet.
    const timer = setTimeout(() => setImmediate(isLate), waitMs)
    waited++
    waiting.add(waiter)
    account.waiters.push(waiter)
    ask(account, moment)
    return promise
  }

  function receive(account: Account, told: number, { granted, left }: Lease): void {
    const moment = now()
    if (account.held <= 0) holders.delete(account)
    account.held += told + granted
    account.beyond = left
    account.at = moment
    const still: Waiter[] = []
    for (const waiter of account.waiters) {
      if (account.held > 0) waiter.settle(allow(account, waiter.here, moment))
      else if (leftOf(account, moment) < 1) waiter.settle(refuse(account, moment))
      else still.push(waiter)
    }
    account.waiters = still
    if (still.length > 0 || account.unused > 0) ask(account, moment)
    if (account.held > 0 && !holders.has(account)) {
      account.heldSince = moment
      holders.add(account)
    }
  }

  /** What was held refilled as if it had not been taken, so that much less is given back. */
  const giveBack = setInterval(() => {
    const moment = now()
    for (const account of holders) {
      if (moment - account.heldSince < LEASE_MS) break
      holders.delete(account)
      const unused = Math.max(0, account.held - Math.ceil((moment - account.heldSince) / eachMs))
      account.held = Math.min(0, account.held)
      if (unused === 0 || desk.isAway) continue
      account.unused += unused
      ask(account, moment)
    }
  }, LEASE_MS / 4)
  giveBack.unref()

  return {
    take(key) {
      const here = local.take(key)
      if (desk.isAway) {
        fallbacks++
        return here
      }
      if (here.retryAfter > 0) return here
      const account = accounts.of(key)
      const moment = now()
      if (account.held > 0) {
        const taken = allow(account, here, moment)
        if (account.held * 2 < account.ahead) ask(account, moment)
        return taken
      }
      if (leftOf(account, moment) < 1) return refuse(account, moment)
      if (debtOf(account) >= credit || account.waiters.length > 0) return wait(account, here, moment)
      const taken = allow(account, here, moment)
      ask(account, moment)
      return taken
    },
    status: () => ({ isAway: desk.isAway, leases: holders.size, asked: desk.asked, waited, fallbacks }),
    close() {
      clearInterval(giveBack)
      desk.close()
      for (const { settle, here } of waiting) settle(here)
    },
  }
}
