import { Type } from 'typebox'
import { type Ban, type Bans as BanStore, GUARD, KEEP_ENDED_MS, type Strikes } from '../../platform/store/index.ts'
import { callerOf } from './address.ts'
import { createSpared, type SparedOptions } from './exempt-addresses.ts'
import type { Budget } from './limiter.ts'
import { readWords, words } from './text-fields.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A person mistypes a few times, a program goes on. */
const WRONG_TOKENS: Budget = { requests: 5, seconds: 15 * 60 }
const FIRST_BAN_MS: Readonly<Record<'tokens' | 'intent', number>> = { tokens: HOUR_MS, intent: DAY_MS }
const LONGEST_BAN_MS = 30 * DAY_MS
/** Who was banned before within this time is banned twice as long as the last time. */
const REPEATER_MS = 90 * DAY_MS
/** How soon a ban of another node holds here. */
const LOOK_MS = 500
/** Bans that wait for a store that is away; who would be one more is refused, and not banned. */
const MAX_UNSAVED = 10_000

/** The last of so many wrong tokens in so long is one too many. */
export type BanOptions = SparedOptions & { readonly wrongTokens?: Budget | 'off' }

const BanWish = Type.Object({ reason: words(0, 200) })

/** Who is shut out. Asked at every request, so the answer is in memory; the store tells the nodes of each other. */
export class Bans {
  readonly #store: BanStore
  readonly #strikes: Strikes
  readonly #options: BanOptions
  readonly #spared: ReturnType<typeof createSpared>
  readonly #known = new Map<string, Ban>()
  /** Made here, and not yet in the store, which cannot tell of them: it may be away. */
  readonly #unsaved = new Map<string, Ban>()
  readonly #timer: NodeJS.Timeout
  readonly #added = { guard: 0, operator: 0 }
  #revision = 0
  #looking: Promise<void> | undefined

  constructor(store: BanStore, strikes: Strikes, options: BanOptions) {
    this.#store = store
    this.#strikes = strikes
    this.#options = options
    this.#spared = createSpared(options)
    this.#timer = setInterval(() => void this.look(), LOOK_MS)
    this.#timer.unref()
  }

  /** The ban of an address, while it lasts. */
  of(address: string): Ban | undefined {
    if (this.#known.size === 0) return undefined
    const caller = callerOf(address)
    const ban = this.#known.get(caller)
    if (!ban || ban.until <= this.#now()) return undefined
    return this.#spared.has(address) ? undefined : ban
  }

  get count(): number {
    return this.#known.size
  }

  /** How many are banned, and how many bans were made by this process since it started. */
  status() {
    const now = this.#now()
    const active = this.#known.values().reduce((sum, { until }) => sum + Number(until > now), 0)
    return { active, added: { ...this.#added } }
  }

  /** Learns what other nodes did; while the store is away the bans that are known go on. */
  look(): Promise<void> {
    this.#looking ??= this.#read()
      .catch(() => {})
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  /** Undefined where the address is exempt. In force here at once, elsewhere within a second. */
  async add(
    address: string,
    { by, ms, ...wish }: { reason: unknown; by: string; ms: number },
  ): Promise<Ban | undefined> {
    const { reason } = readWords(BanWish, wish)
    if (this.#spared.has(address)) return undefined
    const at = this.#now()
    // Whole milliseconds: an operator may say 1.2345 hours, and a store may take no fractions.
    const ban: Ban = { address: callerOf(address), reason, by, at, until: at + Math.round(ms) }
    const before = { known: this.#known.get(ban.address), unsaved: this.#unsaved.get(ban.address) }
    this.#known.set(ban.address, ban)
    this.#added[by === GUARD ? 'guard' : 'operator']++
    this.#unsaved.set(ban.address, ban)
    try {
      await this.#store.put([ban])
    } catch (error) {
      // An operator is told that it failed, so it must not come true later.
      if (by !== GUARD) {
        putBack(this.#known, ban, before.known)
        putBack(this.#unsaved, ban, before.unsaved)
      }
      throw error
    }
    this.#saved(ban)
    return ban
  }

  /** False where the address was not banned. */
  async lift(address: string): Promise<boolean> {
    const caller = callerOf(address.replace(/\/64$/, ''))
    const unsaved = this.#unsaved.get(caller)
    // A look meanwhile must not save it after it was lifted.
    this.#unsaved.delete(caller)
    try {
      await Promise.all([this.#strikes.clear(tokensKey(caller)), this.#strikes.clear(bansKey(caller))])
      const wasSaved = await this.#store.lift(caller)
      this.#known.delete(caller)
      return wasSaved || unsaved !== undefined
    } catch (error) {
      // An operator is told that it failed, so it still holds.
      if (unsaved) this.#unsaved.set(caller, unsaved)
      throw error
    }
  }

  list(): Promise<Ban[]> {
    return this.#store.list()
  }

  /** A request that shows intent to damage: banned at once. */
  async attack(address: string, intent: string): Promise<Ban | undefined> {
    return this.#punish(address, `attack on the operator's endpoints (${intent})`, FIRST_BAN_MS.intent)
  }

  /** A wrong token: banned after a few. */
  async wrongToken(address: string): Promise<Ban | undefined> {
    const { wrongTokens: most = WRONG_TOKENS } = this.#options
    if (most === 'off' || this.#spared.hasAttacker(address)) return undefined
    const key = tokensKey(callerOf(address))
    const score = await this.#strikes.add(key, 1, this.#now() + most.seconds * 1000)
    if (score < most.requests) return undefined
    await this.#strikes.clear(key)
    return this.#punish(address, 'repeated wrong tokens', FIRST_BAN_MS.tokens)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #punish(address: string, reason: string, firstMs: number): Promise<Ban | undefined> {
    if (this.#spared.hasAttacker(address) || this.#unsaved.size >= MAX_UNSAVED) return undefined
    const before = await this.#strikes.add(bansKey(callerOf(address)), 1, this.#now() + REPEATER_MS).catch(() => 1)
    const ms = Math.min(firstMs * 2 ** Math.max(0, before - 1), LONGEST_BAN_MS)
    // While the store is away the ban holds on this node; it is saved when the store is back.
    const ban = await this.add(address, { reason, by: GUARD, ms }).catch(() => this.of(address))
    this.#options.log.warn(
      { client: callerOf(address), reason, hours: Math.round(ms / HOUR_MS) },
      'an address is banned',
    )
    return ban
  }

  #saved(ban: Ban): void {
    if (this.#unsaved.get(ban.address) === ban) this.#unsaved.delete(ban.address)
  }

  async #read(): Promise<void> {
    const late = [...this.#unsaved.values()]
    if (late.length > 0) await this.#store.put(late)
    for (const ban of late) this.#saved(ban)
    const { revision, complete, put, lifted } = await this.#store.changes(this.#revision)
    // The store has lost what it held: what is known here is handed in again.
    if (revision < this.#revision) for (const ban of this.#known.values()) this.#unsaved.set(ban.address, ban)
    if (complete) this.#known.clear()
    for (const ban of this.#unsaved.values()) this.#known.set(ban.address, ban)
    for (const address of lifted) this.#known.delete(address)
    const now = this.#now()
    for (const ban of put) if (ban.until > now) this.#known.set(ban.address, ban)
    if (put.length > 0) this.#forgetEnded(now - KEEP_ENDED_MS)
    this.#revision = revision
  }

  #forgetEnded(before: number): void {
    for (const [address, { until }] of this.#known) if (until < before) this.#known.delete(address)
  }

  #now(): number {
    return (this.#options.clock ?? Date.now)()
  }
}

/** What was there before a ban, unless something else is there by now. */
function putBack(bans: Map<string, Ban>, ban: Ban, before: Ban | undefined): void {
  if (bans.get(ban.address) !== ban) return
  if (before) bans.set(ban.address, before)
  else bans.delete(ban.address)
}

const tokensKey = (caller: string) => `tokens:${caller}`
const bansKey = (caller: string) => `bans:${caller}`
