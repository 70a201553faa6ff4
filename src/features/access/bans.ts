import { isIP } from 'node:net'
import { Type } from 'typebox'
import type { Log } from '../../platform/logging/index.ts'
import { createAddressMatcher, parseNetwork, toClientAddress } from '../../platform/net/index.ts'
import {
  BANNED_AUTOMATICALLY,
  type Ban,
  type Bans as BanStore,
  type Clock,
  ENDED_BAN_TTL_MS,
  type Strikes,
} from '../../platform/store/index.ts'
import { BanIndex, createSiteLimit, shorten } from './ban-index.ts'
import type { RateLimit } from './rate-limiter.ts'
import { parseTextFields, singleLineText } from './secrets.ts'

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000]
/** A person mistypes a token a few times; a program that guesses tokens continues. */
const DEFAULT_WRONG_TOKEN_LIMIT: RateLimit = { count: 5, seconds: 15 * 60 }
const FIRST_TOKEN_BAN_MS = HOUR_MS
const FIRST_ATTACK_BAN_MS = DAY_MS
const MAX_BAN_MS = 30 * DAY_MS
/** Each further ban within this time doubles the first duration of its cause. */
const REPEAT_WINDOW_MS = 90 * DAY_MS
/** Bans of other nodes take effect here after at most this time. */
const REFRESH_INTERVAL_MS = 500
/** Bans that wait for an unavailable store. Above this bound an attack is refused, but its sender is not banned. */
const MAX_UNSAVED = 10_000
/** Bans, and strikes, written at a time. The next refresh writes further bans; further strikes are not counted. */
const MAX_SAVING = 50

export interface BanOptions {
  /** Addresses and CIDRs that are never banned. */
  readonly exempt: readonly string[]
  /** Never banned either: all clients share the address of a proxy. */
  readonly proxies?: readonly string[]
  /** The wrong token that reaches this limit causes a ban. */
  readonly wrongTokens?: RateLimit | 'off'
  readonly log: Log
  readonly clock?: Clock
}

const BanFields = Type.Object({ reason: singleLineText(0, 200, 'Reason of the ban.') })

/**
 * The banned addresses and networks. They are held in memory because every request is checked; the store shares them with
 * other nodes and keeps them for the next start. http/api/ban-checks.ts rejects banned clients and reports
 * attacks; this class decides whether these cause a ban. The operator bans with http/api/operator/bans.ts or `ban add`.
 */
export class Bans {
  readonly #store: BanStore
  readonly #strikes: Strikes
  readonly #options: BanOptions
  readonly #isExempt: (address: string) => boolean
  readonly #isProxy: (address: string) => boolean
  readonly #bans = new BanIndex()
  /** Added on this node and not confirmed by the store, which may be unavailable. */
  readonly #unsaved = new Map<string, Ban>()
  readonly #timer: NodeJS.Timeout
  readonly #added = { automatic: 0, operator: 0 }
  readonly #siteLimit = createSiteLimit(() => this.#now())
  #revision = 0
  #synchronizedAt = 0
  #addingStrikes = 0
  #refreshing: Promise<void> | undefined
  #proxyWarningAt = Number.NEGATIVE_INFINITY

  constructor(store: BanStore, strikes: Strikes, options: BanOptions) {
    const { exempt, proxies = [] } = options
    this.#store = store
    this.#strikes = strikes
    this.#options = options
    this.#isExempt = createAddressMatcher([...exempt, ...proxies])
    this.#isProxy = createAddressMatcher(proxies)
    this.#timer = setInterval(() => void this.refresh(), REFRESH_INTERVAL_MS)
    this.#timer.unref()
  }

  find(address: string): Ban | undefined {
    const ban = this.#bans.find(address)
    if (!ban || ban.until <= this.#now()) return undefined
    return this.#isExempt(address) ? undefined : ban
  }

  /** The number of active bans, and of bans that this process added since it started. */
  status() {
    const now = this.#now()
    const active = this.#bans.values().reduce((sum, { until }) => sum + Number(until > now), 0)
    return { active, added: { ...this.#added } }
  }

  /** The number of automatic bans since this time, on all nodes. */
  countAutomatic(since: number): number {
    return this.#bans.values().reduce((sum, { by, at }) => sum + Number(by === BANNED_AUTOMATICALLY && at >= since), 0)
  }

  /** Reads the changes of other nodes. While the store is unavailable the bans in memory stay active. */
  refresh(): Promise<void> {
    const finish = () => {
      this.#refreshing = undefined
    }
    this.#refreshing ??= this.#synchronize().then(finish, finish)
    return this.#refreshing
  }

  /**
   * Bans an address, or a network without its exempt addresses. Active on this node at once, on other nodes within a
   * second. Undefined: the address is exempt.
   */
  async add(
    given: string,
    { by, ms, ...fields }: { reason: unknown; by: string; ms: number },
  ): Promise<Ban | undefined> {
    const { reason } = parseTextFields(BanFields, fields)
    const address = toBanAddress(given)
    const isOneClient = !address.includes('/') || address.endsWith('/64')
    if (isOneClient && this.#isExempt(given)) return undefined
    const at = this.#now()
    // An operator may enter 1.2345 hours, but a store may only accept integers.
    const ban: Ban = { address, reason, by, at, until: at + Math.round(ms) }
    this.#added[by === BANNED_AUTOMATICALLY ? 'automatic' : 'operator']++
    // Active at once, even while the store is unavailable.
    if (by === BANNED_AUTOMATICALLY) {
      this.#bans.set(address, ban)
      this.#unsaved.set(address, ban)
      if (this.#unsaved.size > MAX_SAVING) return ban
    }
    await this.#store.put([ban])
    // If that failed, the operator got an error, and the ban must not be active.
    if (by !== BANNED_AUTOMATICALLY) {
      this.#bans.set(address, ban)
      this.#unsaved.delete(address)
    }
    this.#markSaved(ban)
    return ban
  }

  /** False: the address was not banned. */
  async lift(address: string): Promise<boolean> {
    const client = toBanAddress(address)
    const unsaved = this.#unsaved.get(client)
    // A refresh during the calls below must not save the ban again.
    this.#unsaved.delete(client)
    try {
      await Promise.all([this.#strikes.clear(tokenStrikesKey(client)), this.#strikes.clear(banStrikesKey(client))])
      const wasSaved = await this.#store.lift(client)
      this.#bans.delete(client)
      return wasSaved || unsaved !== undefined
    } catch (error) {
      // The operator gets an error, so the ban stays active.
      if (unsaved) this.#unsaved.set(client, unsaved)
      throw error
    }
  }

  list(): Promise<Ban[]> {
    return this.#store.list()
  }

  /** Bans the sender of an attack. */
  async recordAttack(address: string, attack: string): Promise<Ban | undefined> {
    return this.#banAutomatically(address, `attack on the operator endpoints (${attack})`, FIRST_ATTACK_BAN_MS)
  }

  /** Counts a wrong token, and bans the sender of too many. */
  async recordWrongToken(address: string): Promise<Ban | undefined> {
    const { wrongTokens: limit = DEFAULT_WRONG_TOKEN_LIMIT } = this.#options
    if (limit === 'off' || this.#isExemptAttacker(address)) return undefined
    const key = tokenStrikesKey(toClientAddress(address))
    const score = await this.#addStrike(key, limit.seconds * 1000)
    if (score < limit.count) return undefined
    await this.#strikes.clear(key)
    return this.#banAutomatically(address, 'repeated wrong tokens', FIRST_TOKEN_BAN_MS)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #banAutomatically(address: string, reason: string, firstMs: number): Promise<Ban | undefined> {
    if (this.#isExemptAttacker(address) || this.#unsaved.size >= MAX_UNSAVED || !this.#siteLimit.take(address)) return
    const client = toClientAddress(address)
    const bans = await this.#addStrike(banStrikesKey(client), REPEAT_WINDOW_MS).catch(() => 1)
    const ms = Math.min(firstMs * 2 ** Math.max(0, bans - 1), MAX_BAN_MS)
    // While the store is unavailable the ban is active on this node only; `refresh` saves it later.
    const ban = await this.add(address, { reason, by: BANNED_AUTOMATICALLY, ms }).catch(() => this.find(address))
    this.#options.log.warn({ client, reason, hours: Math.round(ms / HOUR_MS) }, 'address banned')
    return ban
  }

  async #addStrike(key: string, ms: number): Promise<number> {
    if (this.#addingStrikes >= MAX_SAVING) return 1
    this.#addingStrikes++
    try {
      return await this.#strikes.add(key, 1, this.#now() + ms)
    } finally {
      this.#addingStrikes--
    }
  }

  #isExemptAttacker(address: string): boolean {
    const now = this.#now()
    if (this.#isProxy(address) && now - this.#proxyWarningAt >= HOUR_MS) {
      this.#proxyWarningAt = now
      this.#options.log.warn(
        { proxy: toClientAddress(address), setting: 'TRUST_PROXY' },
        'attack through a proxy in TRUST_PROXY that sent no client address in X-Forwarded-For; nobody was banned',
      )
    }
    // One ban would hit all clients without a known address.
    return isIP(address) === 0 || this.#isExempt(address)
  }

  #markSaved(ban: Ban): void {
    if (this.#unsaved.get(ban.address) === ban) this.#unsaved.delete(ban.address)
  }

  async #synchronize(): Promise<void> {
    const unsaved = [...this.#unsaved.values()]
    if (unsaved.length > 0) await this.#store.put(unsaved)
    for (const ban of unsaved) this.#markSaved(ban)
    const now = this.#now()
    // The clock was set back: bans that seemed to have ended are read again, and those from the future are shortened.
    if (now < this.#synchronizedAt) this.#revision = 0
    this.#synchronizedAt = now
    const { revision, complete, put, lifted } = await this.#store.changes(this.#revision)
    // A smaller revision means that the store lost its data: this node writes its bans again.
    if (revision < this.#revision) for (const ban of this.#bans.values()) this.#unsaved.set(ban.address, ban)
    if (complete) this.#bans.clear()
    for (const ban of this.#unsaved.values()) this.#bans.set(ban.address, ban)
    for (const address of lifted) this.#bans.delete(address)
    for (const ban of put) if (ban.until > now) this.#bans.set(ban.address, shorten(ban, now))
    if (put.length > 0) {
      for (const { address, until } of this.#bans.values()) {
        if (until < now - ENDED_BAN_TTL_MS) this.#bans.delete(address)
      }
    }
    this.#revision = revision
  }

  #now(): number {
    return (this.#options.clock ?? Date.now)()
  }
}

const toBanAddress = (address: string) => parseNetwork(address) ?? toClientAddress(address)

const tokenStrikesKey = (client: string) => `tokens:${client}`
const banStrikesKey = (client: string) => `bans:${client}`
