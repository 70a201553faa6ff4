// Decides who is banned. http/api/ban-checks.ts rejects banned clients, and reports attacks and wrong tokens.
import { isIP } from 'node:net'
import { LRUCache } from 'lru-cache'
import { Type } from 'typebox'
import { createSharedRun } from '../../platform/concurrency/index.ts'
import type { Log } from '../../platform/logging/index.ts'
import { createAddressMatcher, isInProxyNetwork, toClientAddress } from '../../platform/net/index.ts'
import type { Ban, Bans as BanStore, Clock, Strikes } from '../../platform/store/index.ts'
import { BANNED_AUTOMATICALLY, ENDED_BAN_TTL_MS } from '../../platform/store/index.ts'
import { BanIndex, createSiteLimit, shorten, toBanAddress } from './ban-index.ts'
import type { RateLimit } from './rate-limiter.ts'
import { hashSecret, parseTextFields, singleLineText } from './secrets.ts'

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000]
/** A person mistypes a token a few times; a program that guesses tokens continues. */
const DEFAULT_WRONG_TOKENS: RateLimit = { count: 5, seconds: 15 * 60 }
/** After a restore, several programs behind one address may still send old tokens. This many count as one wrong token. */
const OLD_TOKENS = 10
const FIRST_TOKEN_BAN_MS = HOUR_MS
const FIRST_ATTACK_BAN_MS = DAY_MS
const MAX_BAN_MS = 30 * DAY_MS
/** Each further ban within this time doubles the first duration of its cause. */
const REPEAT_WINDOW_MS = 90 * DAY_MS
/** Bans of other nodes take effect here after at most this time. */
const REFRESH_INTERVAL_MS = 500
/** If the clock advances by more between two refreshes, it was behind, and bans from its future were shortened too much. */
const CLOCK_JUMP_MS = 60_000
/** Bans that wait for an unavailable store. Above this bound an attack is refused, but its sender is not banned. */
const MAX_UNSAVED = 10_000
/** Bans, and strikes, written at a time. The next refresh writes further bans; further strikes are not counted. */
const MAX_SAVING = 50

export interface BanOptions {
  /** Addresses and CIDRs that are never banned. */
  readonly exempt: readonly string[]
  /** Never banned either: all clients share such an address. Read before a ban, too: networks are connected later. */
  readonly readProxies?: () => readonly string[]
  /** The wrong token that reaches this limit causes a ban. */
  readonly wrongTokens?: RateLimit | 'off'
  readonly log: Log
  readonly clock?: Clock
}

const BanFields = Type.Object({ reason: singleLineText(0, 200, 'Reason of the ban.') })

export type Bans = ReturnType<typeof createBans>

/**
 * The banned addresses and networks. They are held in memory because every request is checked; the store shares them with
 * other nodes and keeps them for the next start.
 */
export function createBans(store: BanStore, strikes: Strikes, options: BanOptions) {
  const { exempt, readProxies = () => [], wrongTokens = DEFAULT_WRONG_TOKENS, log, clock = () => Date.now() } = options
  const isListed = createAddressMatcher(exempt)
  let isProxy = createAddressMatcher(readProxies())
  const isExempt = (address: string) => isListed(address) || isProxy(address)
  const bans = new BanIndex()
  /** Added on this node and not confirmed by the store, which may be unavailable. */
  const unsavedBans = new Map<string, Ban>()
  /** When the ban of an address was lifted, in case the store loses it. Operators lift few. */
  const liftedBans = new LRUCache<string, number>({ max: 1000 })
  const added = { automatic: 0, operator: 0 }
  const siteLimit = createSiteLimit(clock)
  /** Clients that are being banned. */
  const banning = new Set<string>()
  let [storeRevision, synchronizedAt, addingStrikes] = [0, 0, 0]
  let proxyWarningAt = Number.NEGATIVE_INFINITY

  function find(address: string): Ban | undefined {
    const ban = bans.find(address)
    if (!ban || ban.until <= clock()) return undefined
    return isExempt(address) ? undefined : ban
  }

  /** Reads the changes of other nodes. While the store is unavailable the bans in memory stay active. */
  const { run: refresh, running: refreshing } = createSharedRun(() => synchronize().catch(() => {}))

  // Before a write, which raises the revision: afterwards a store that lost its bans looks like any other. A refresh in
  // progress may have read the revision before the loss.
  const noticeLoss = async () => refreshing()?.then(refresh) ?? refresh()

  /**
   * Bans an address, or a network without its exempt addresses. Active on this node at once, on other nodes within a
   * second. Undefined: the address is exempt.
   */
  async function add(given: string, { by, ms, ...fields }: { reason: unknown; by: string; ms: number }) {
    const { reason } = parseTextFields(BanFields, fields)
    const address = toBanAddress(given)
    const isOneClient = !address.includes('/') || address.endsWith('/64')
    if (isOneClient && isExempt(given)) return undefined
    const at = clock()
    // An operator may enter 1.2345 hours, but a store may only accept integers.
    const ban: Ban = { address, reason, by, at, until: at + Math.round(ms) }
    // Active at once, even while the store is unavailable.
    if (by === BANNED_AUTOMATICALLY) {
      added.automatic++
      bans.set(address, ban)
      unsavedBans.set(address, ban)
      if (unsavedBans.size > MAX_SAVING) return ban
    }
    await noticeLoss()
    // It may have saved an automatic ban.
    if (by !== BANNED_AUTOMATICALLY || unsavedBans.get(address) === ban) await store.put([ban])
    // If that failed, the operator got an error, and the ban must not be active.
    if (by !== BANNED_AUTOMATICALLY) {
      added.operator++
      bans.set(address, ban)
      unsavedBans.delete(address)
    }
    markSaved(ban)
    return ban
  }

  async function banAutomatically(address: string, reason: string, firstMs: number): Promise<Ban | undefined> {
    const client = toClientAddress(address)
    // Requests that arrived together cause one ban: several would double its time up to the maximum.
    if (banning.has(client) || find(address)) return find(address)
    if (isExemptAttacker(address) || unsavedBans.size >= MAX_UNSAVED || !siteLimit.take(address)) return
    banning.add(client)
    // Bans of several nodes for one burst count as one: a client cannot be banned twice within the shortest ban.
    const count = await addStrike(banStrikesKey(client), REPEAT_WINDOW_MS, FIRST_TOKEN_BAN_MS).catch(() => 1)
    const ms = Math.min(firstMs * 2 ** Math.max(0, count - 1), MAX_BAN_MS)
    // While the store is unavailable the ban is active on this node only; `refresh` saves it later.
    const adding = add(address, { reason, by: BANNED_AUTOMATICALLY, ms })
    banning.delete(client)
    const ban = await adding.catch(() => find(address))
    log.warn({ client, reason, hours: Math.round(ms / HOUR_MS) }, 'address banned')
    return ban
  }

  async function addStrike(key: string, ms: number, apartMs?: number, points = 1): Promise<number> {
    if (addingStrikes >= MAX_SAVING) return 1
    addingStrikes++
    try {
      return await strikes.add(key, points, clock() + ms, apartMs)
    } finally {
      addingStrikes--
    }
  }

  function isExemptAttacker(address: string): boolean {
    const now = clock()
    if (!isExempt(address) && isInProxyNetwork(address)) isProxy = createAddressMatcher(readProxies())
    if (isProxy(address) && now - proxyWarningAt >= HOUR_MS) {
      proxyWarningAt = now
      log.warn(
        { proxy: toClientAddress(address), setting: 'TRUST_PROXY' },
        'attack through a proxy or gateway that sent no client address in X-Forwarded-For; nobody was banned',
      )
    }
    // One ban would hit all clients without a known address.
    return isIP(address) === 0 || isExempt(address)
  }

  function markSaved(ban: Ban): void {
    if (unsavedBans.get(ban.address) === ban) unsavedBans.delete(ban.address)
  }

  function markLifted(address: string, now: number): void {
    bans.delete(address)
    liftedBans.set(address, now)
  }

  async function synchronize(): Promise<void> {
    const now = clock()
    // The clock was set: bans that seemed to have ended are read again, and those from the future are shortened.
    const isClockSet = now < synchronizedAt || now > synchronizedAt + CLOCK_JUMP_MS
    // Before anything is written, which raises the revision.
    const { revision, complete, put, lifted } = await store.changes(isClockSet ? 0 : storeRevision)
    synchronizedAt = now
    // A smaller revision means that the store lost data: this node writes its bans again, and lifts those that are back.
    const isBack = ({ address, at }: Ban) => revision < storeRevision && at <= (liftedBans.peek(address) ?? 0)
    for (const address of lifted) markLifted(address, now)
    const ends = new Map(put.map(({ address, until }) => [address, until]))
    const isLost = ({ address, until }: Ban) => until > Math.max(now, ends.get(address) ?? 0)
    if (revision < storeRevision) for (const ban of bans.values().filter(isLost)) unsavedBans.set(ban.address, ban)
    for (const { address } of put.filter(isBack)) await store.lift(address)
    if (complete) bans.clear()
    // An automatic ban that waited for the store does not replace one of an operator.
    for (const { address, by } of put)
      if (by !== BANNED_AUTOMATICALLY && revision >= storeRevision) unsavedBans.delete(address)
    for (const ban of put) if (ban.until > now && !isBack(ban)) bans.set(ban.address, shorten(ban, now))
    for (const ban of unsavedBans.values()) bans.set(ban.address, ban)
    if (put.length > 0)
      for (const { address, until } of bans.values()) if (until < now - ENDED_BAN_TTL_MS) bans.delete(address)
    storeRevision = revision
    const unsaved = [...unsavedBans.values()]
    if (unsaved.length > 0) await store.put(unsaved)
    for (const ban of unsaved) markSaved(ban)
  }

  const timer = setInterval(refresh, REFRESH_INTERVAL_MS).unref()

  return {
    find,
    refresh,
    add,
    isExempt,
    list: (): Promise<Ban[]> => store.list(),
    /** The number of active bans, and of bans that this process added since it started. */
    status() {
      const now = clock()
      return { active: bans.values().reduce((sum, { until }) => sum + Number(until > now), 0), added: { ...added } }
    },
    /** The number of automatic bans since this time, on all nodes. */
    countAutomatic: (since: number): number =>
      bans.values().reduce((sum, { by, at }) => sum + Number(by === BANNED_AUTOMATICALLY && at >= since), 0),

    /** False: the address was not banned. */
    async lift(address: string): Promise<boolean> {
      const client = toBanAddress(address)
      await noticeLoss()
      const unsaved = unsavedBans.get(client)
      // A refresh during the calls below must not save the ban again.
      unsavedBans.delete(client)
      try {
        await Promise.all([strikes.clear(tokenStrikesKey(client)), strikes.clear(banStrikesKey(client))])
        const wasSaved = await store.lift(client)
        markLifted(client, clock())
        return wasSaved || unsaved !== undefined
      } catch (error) {
        // The operator gets an error, so the ban stays active.
        if (unsaved) unsavedBans.set(client, unsaved)
        throw error
      }
    },

    /** Bans the sender of an attack. */
    recordAttack: (address: string, attack: string) =>
      banAutomatically(address, `attack on the operator endpoints (${attack})`, FIRST_ATTACK_BAN_MS),
    /** Counts a wrong token, and bans the sender of too many. The same former token again is not a guess. */
    async recordWrongToken(address: string, formerToken?: string): Promise<Ban | undefined> {
      if (wrongTokens === 'off' || isExemptAttacker(address)) return undefined
      const [key, ms] = [tokenStrikesKey(toClientAddress(address)), wrongTokens.seconds * 1000]
      if (formerToken && (await addStrike(`${key}:${hashSecret(formerToken)}`, ms)) > 1) return undefined
      if ((await addStrike(key, ms, 0, formerToken ? 1 : OLD_TOKENS)) < wrongTokens.count * OLD_TOKENS) return undefined
      await strikes.clear(key)
      return banAutomatically(address, 'repeated wrong tokens', FIRST_TOKEN_BAN_MS)
    },
    async close(): Promise<void> {
      clearInterval(timer)
      await refresh()
      if (unsavedBans.size > 0) log.error({ bans: unsavedBans.size }, 'the store has not saved all bans; they are lost')
    },
  }
}

const tokenStrikesKey = (client: string) => `guesses:${client}`
const banStrikesKey = (client: string) => `bans:${client}`
