import type { Lease, LeaseAsk, Leases } from '../../platform/store/index.ts'
import type { Budget, Taken } from './limiter.ts'

export interface Waiter {
  /** What the limit of this node alone says. */
  readonly here: Taken
  settle(taken: Taken): void
}

/** What a node knows and holds of one caller's shared budget. */
export interface Account {
  readonly caller: string
  /** Leased and not used yet; below zero: let through and not told yet. */
  held: number
  heldSince: number
  /** Leased, not used and on its way back. */
  unused: number
  /** What the budget had beyond that, at the moment `at`. */
  beyond: number
  at: number
  /** How much is asked for ahead of need. */
  ahead: number
  askedAt: number
  asking: boolean
  waiters: Waiter[]
}

/** Nobody has asked yet: the whole budget is there, as far as is known. */
export const openAccount = (caller: string, requests: number): Account => ({
  caller,
  held: 0,
  heldSince: 0,
  unused: 0,
  beyond: requests,
  at: 0,
  ahead: 0,
  askedAt: Number.NEGATIVE_INFINITY,
  asking: false,
  waiters: [],
})

export interface DeskOptions {
  readonly leases: Leases
  readonly budget: Budget & { readonly name: string }
  /** A store that takes longer is not back yet. */
  readonly waitMs: number
  /** How often it is tried whether the store is back. */
  readonly retryMs: number
  readonly now: () => number
  /** `told` of what was let through is settled with it. */
  onAnswer(account: Account, told: number, lease: Lease): void
  /** The store is away or slow. */
  onAway(): void
}

/** Asks for which nobody waits gather for so long. */
const GATHER_MS = 10

/** Takes from a budget that is nobody's: a write, so that a store without memory shows. */
const NOBODY: LeaseAsk = { caller: '', spent: 1, needed: 0, ahead: 0 }

/** Carries asks to the store in batches, and knows whether it answers. */
export function createLeaseDesk({ leases, budget, waitMs, retryMs, now, onAnswer, onAway }: DeskOptions) {
  let batch: Account[] = []
  let gathering: NodeJS.Timeout | undefined
  let urgent: NodeJS.Immediate | undefined
  let retrying: NodeJS.Timeout | undefined
  let isAway = false
  let closed = false
  let asked = 0

  const leave = () => {
    isAway = true
    retrying ??= setTimeout(tryAgain, retryMs).unref()
    onAway()
  }

  const tryAgain = async () => {
    const begun = now()
    const answers = await leases.take(budget, [NOBODY]).catch(() => undefined)
    isAway = answers === undefined || now() - begun > waitMs
    retrying = isAway && !closed ? setTimeout(tryAgain, retryMs).unref() : undefined
  }

  const send = async () => {
    clearTimeout(gathering)
    clearImmediate(urgent)
    gathering = urgent = undefined
    if (batch.length === 0) return
    const sent = batch.map((account) => ({ account, told: debtOf(account), unused: account.unused }))
    const asks = batch.map(askOf)
    for (const account of batch) account.unused = 0
    batch = []
    asked += asks.length
    const answers = await leases.take(budget, asks).catch(() => undefined)
    if (!answers) leave()
    sent.forEach(({ account, told, unused }, index) => {
      const answer = answers?.[index]
      account.asking = false
      if (answer) onAnswer(account, told, answer)
      else account.unused += unused
    })
  }

  return {
    get isAway() {
      return isAway
    },
    get asked() {
      return asked
    },
    leave,
    ask(account: Account): void {
      if (account.waiters.length > 0) urgent ??= setImmediate(send)
      if (account.asking) return
      account.asking = true
      batch.push(account)
      if (!urgent) gathering ??= setTimeout(send, GATHER_MS)
    },
    close() {
      closed = true
      clearTimeout(gathering)
      clearTimeout(retrying)
      clearImmediate(urgent)
    },
  }
}

export const debtOf = ({ held }: Account) => Math.max(0, -held)

const askOf = (account: Account): LeaseAsk => ({
  caller: account.caller,
  spent: debtOf(account) - account.unused,
  needed: account.waiters.length,
  ahead: Math.max(0, account.ahead - Math.max(0, account.held)),
})
