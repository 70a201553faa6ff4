import { addAbortListener } from 'node:events'
import { setImmediate as immediate } from 'node:timers/promises'
import { Busy } from '../../errors/index.ts'

/** Leads from the widest group of a client to the client itself, such as its network and its address. */
export type GroupPath = readonly string[]

interface Group<Item> {
  readonly groups: Map<string, Group<Item>>
  readonly items: Item[]
  /** Items in this group and all groups below it. */
  size: number
}

const createGroup = <Item>(): Group<Item> => ({ groups: new Map(), items: [], size: 0 })

/**
 * Waiting items in the order of their turns. Groups take turns on every level: a network with a hundred addresses has as
 * many turns as a network with one.
 */
export function createTurns<Item>() {
  const root = createGroup<Item>()

  /** Returns the groups from the root to the end of the path, without groups that do not exist. */
  function follow(path: GroupPath): Group<Item>[] {
    const groups = [root]
    for (const name of path) {
      const next = groups.at(-1)!.groups.get(name)
      if (next) groups.push(next)
    }
    return groups
  }

  function find(group: Group<Item>, test: (item: Item) => boolean): Item | undefined {
    const [first] = group.items
    if (first !== undefined && test(first)) return first
    for (const inner of group.groups.values()) {
      const found = find(inner, test)
      if (found !== undefined) return found
    }
    return undefined
  }

  const listItems = (group: Group<Item>): Item[] => [...group.items, ...group.groups.values().flatMap(listItems)]

  return {
    /** Adds the item after others of its client for which `isBefore` is true. Default: all. */
    add(path: GroupPath, item: Item, isBefore: (other: Item) => boolean = () => true): void {
      let group = root
      group.size++
      for (const name of path) {
        if (!group.groups.has(name)) group.groups.set(name, createGroup())
        group = group.groups.get(name)!
        group.size++
      }
      group.items.splice(group.items.filter(isBefore).length, 0, item)
    },

    remove(path: GroupPath, item: Item): void {
      const groups = follow(path)
      const { items } = groups.at(-1)!
      const at = items.indexOf(item)
      if (at < 0) return
      items.splice(at, 1)
      for (const [level, group] of groups.entries()) {
        group.size--
        if (group.size === 0 && level > 0) groups[level - 1]!.groups.delete(path[level - 1]!)
      }
    },

    /** Puts every group of the path at the end of its level: it had its turn. */
    endTurn(path: GroupPath): void {
      for (const [level, { groups }] of follow(path).entries()) {
        const name = path[level]
        const group = name === undefined ? undefined : groups.get(name)
        if (!group || !groups.delete(name!)) return
        groups.set(name!, group)
      }
    },

    /** Returns the next item for which `test` is true. Only the first item of a client can be next. */
    find: (test: (item: Item) => boolean) => find(root, test),

    /**
     * Descends into the largest group on each level and returns its newest item. If groups have the same size, the group
     * of `path` is chosen.
     */
    findSurplus(path: GroupPath): Item | undefined {
      let group = root
      for (let level = 0; group.groups.size > 0; level++) {
        const own = group.groups.get(path[level] ?? '')
        const largest = group.groups.values().reduce((a, b) => (b.size >= a.size ? b : a))
        group = own && own.size >= largest.size ? own : largest
      }
      return group.items.at(-1)
    },

    list: () => listItems(root),
    size: () => root.size,
  }
}

interface SemaphoreOptions {
  maxRunning: number
  /** For each group of a path, such as a network and an address in it: no group can take all slots. */
  maxRunningPerGroup: number
  /** The same for the groups inside of another. Default: `maxRunningPerGroup`. */
  maxRunningPerInnerGroup?: number
  /** Slots in addition to `maxRunning`, for the widest groups that have none. */
  reserve?: number
  maxWaiting: number
  /** After this time a waiting caller fails with BUSY. */
  waitTimeoutMs: number
  /** Seconds to wait before retrying, for BUSY. */
  computeRetryAfter: (waiting: number) => number
}

type Waiter = { readonly path: GroupPath; admit(slot: Disposable): void; refuse(reason: unknown): void }

export type FairSemaphore = ReturnType<typeof createFairSemaphore>

/**
 * Admits a bounded number of callers at a time, lets a bounded number wait for a bounded time, and refuses the rest with
 * BUSY. Fair by group: free slots go to the waiting groups in turn. If the queue is full, the group with the most waiters
 * loses its newest.
 */
export function createFairSemaphore(options: SemaphoreOptions) {
  const { maxRunning, maxRunningPerGroup, reserve = 0, maxWaiting, waitTimeoutMs, computeRetryAfter } = options
  const { maxRunningPerInnerGroup = maxRunningPerGroup } = options
  const runningByGroup = new Map<string, number>()
  const turns = createTurns<Waiter>()
  let running = 0

  const hasSlot = (path: GroupPath) =>
    running < maxRunning + (runningByGroup.has(path[0] ?? '') ? 0 : reserve) &&
    path.every(
      (group, level) => (runningByGroup.get(group) ?? 0) < (level === 0 ? maxRunningPerGroup : maxRunningPerInnerGroup),
    )
  const busy = () => new Busy(computeRetryAfter(Math.min(turns.size(), maxWaiting)))

  function take(path: GroupPath): Disposable {
    running++
    for (const group of path) runningByGroup.set(group, (runningByGroup.get(group) ?? 0) + 1)
    return { [Symbol.dispose]: () => release(path) }
  }

  function release(path: GroupPath): void {
    running--
    for (const group of path) {
      const left = runningByGroup.get(group)! - 1
      if (left > 0) runningByGroup.set(group, left)
      else runningByGroup.delete(group)
    }
    admitNext()
  }

  /** A slot that became free may admit two waiters: one gets it, and the group that had it may use the reserve. */
  function admitNext(): void {
    const waiter = turns.find(({ path }) => hasSlot(path))
    if (!waiter) return
    turns.endTurn(waiter.path)
    waiter.admit(take(waiter.path))
    admitNext()
  }

  /** The slot is released by disposing it. */
  async function acquire(path: GroupPath, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted()
    if (hasSlot(path)) return take(path)
    if (maxWaiting === 0) throw busy()
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
    const settle = (outcome: () => void) => {
      turns.remove(path, waiter)
      clearTimeout(timer)
      listener?.[Symbol.dispose]()
      outcome()
    }
    const waiter: Waiter = {
      path,
      admit: (slot) => settle(() => resolve(slot)),
      refuse: (reason) => settle(() => reject(reason)),
    }
    const timer = setTimeout(() => waiter.refuse(busy()), waitTimeoutMs)
    const listener = signal && addAbortListener(signal, () => waiter.refuse(signal.reason))
    turns.add(path, waiter)
    if (turns.size() > maxWaiting) turns.findSurplus(path)?.refuse(busy())
    return promise
  }

  return { acquire, status: () => ({ running, waiting: turns.size() }) }
}

/** After this time of work the event loop reads what has arrived. */
const MAX_WORK_MS = 5
/** If requests take less on average, turns would cost more than they are worth. */
const SHORT_REQUEST_MS = 0.2
/** Node reads the first request of a connection one iteration of the event loop after it accepted the connection. */
const QUIET_ITERATIONS = 3

/**
 * Divides the time of this thread among clients. Node handles all requests that have arrived before it reads others, and
 * accepts one connection per iteration of the event loop. Some hundred requests of a few milliseconds would therefore
 * keep everybody waiting for seconds.
 */
export function createThreadTurns() {
  const turns = createTurns<{ readonly path: GroupPath; readonly start: () => void }>()
  let isRunning = false
  let arrived = 0
  let busyPeriod: { readonly startedAt: number; readonly arrivedBefore: number } | undefined

  function endPeriodIfQuiet(arrivedBefore?: number): void {
    if (arrived === arrivedBefore) busyPeriod = undefined
    else setImmediate(endPeriodIfQuiet, arrived)
  }

  async function letArrive(): Promise<void> {
    const startedAt = performance.now()
    for (let quiet = 0; quiet < QUIET_ITERATIONS && performance.now() - startedAt < MAX_WORK_MS; ) {
      const before = arrived
      await immediate()
      quiet = arrived === before ? quiet + 1 : 0
    }
  }

  async function run(): Promise<void> {
    isRunning = true
    while (turns.size() > 0) {
      await letArrive()
      const startedAt = performance.now()
      while (turns.size() > 0 && performance.now() - startedAt < MAX_WORK_MS) {
        const next = turns.find(() => true)!
        turns.endTurn(next.path)
        turns.remove(next.path, next)
        next.start()
        // Node calls this after all callbacks of promises: the work is done, or waits for something else.
        await new Promise<void>((resolve) => process.nextTick(resolve))
      }
    }
    isRunning = false
  }

  return {
    /** Called for each request: whether it should wait, because others do, or because the last ones took long. */
    mustWait(): boolean {
      arrived++
      if (isRunning) return true
      const now = performance.now()
      if (!busyPeriod || now - busyPeriod.startedAt > 10 * MAX_WORK_MS) {
        if (!busyPeriod) setImmediate(endPeriodIfQuiet)
        busyPeriod = { startedAt: now, arrivedBefore: arrived }
      }
      const ms = now - busyPeriod.startedAt
      return ms > MAX_WORK_MS && ms > (arrived - busyPeriod.arrivedBefore) * SHORT_REQUEST_MS
    },

    /** Waits until what has arrived is read. Groups take turns. */
    wait(path: GroupPath): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      turns.add(path, { path, start: resolve })
      if (!isRunning) void run()
      return promise
    },
  }
}
