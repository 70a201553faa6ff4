import { QUICK_MS, type QueuedJob } from './serve-tasks.ts'

/** Leads from the widest group of a client to the client itself, such as its network and its address. */
export type GroupPath = readonly string[]

interface Group<Item> {
  readonly groups: Map<string, Group<Item>>
  readonly items: Item[]
  /** Items in this group and all groups below it. */
  size: number
}

const createGroup = <Item>(): Group<Item> => ({ groups: new Map(), items: [], size: 0 })

/** Only recent use counts: it halves in this time. */
const HALF_LIFE_MS = 60_000
/** Groups whose use differs by less take turns. */
const USE_STEP_MS = 100
/** A group is heavy if it used more than this, and more than this share of what the group with most use did. */
const HEAVY_MS = 2000
const HEAVY_SHARE = 1 / 2
/** If the queue is full, an item counts as one more for each time that its group has used so much. */
const STEPS_PER_ITEM = 10
/** More does not count: otherwise, a group that used much for minutes would wait until others have used as much. */
const MAX_USE_MS = 10_000
const MAX_GROUPS = 10_000

interface Use {
  readonly ms: number
  readonly at: number
  readonly running: number
}

const measureMs = (use: Use | undefined, now: number) =>
  use ? use.ms * 2 ** ((use.at - now) / HALF_LIFE_MS) + use.running * (now - use.at) : 0

/** Measures how long each group has used something lately, such as image processes. */
export function createUses(clock = () => performance.now(), stepMs = USE_STEP_MS) {
  const groups = new Map<string, Use>()
  let largest: Use | undefined

  function record(path: GroupPath, change: 1 | -1): void {
    const at = clock()
    for (const group of path) {
      const last = groups.get(group)
      const use = { ms: Math.min(MAX_USE_MS, measureMs(last, at)), at, running: (last?.running ?? 0) + change }
      if (use.ms > measureMs(largest, at)) largest = { ...use, running: 0 }
      // At the end of the map: its first group is the one that was changed longest ago.
      groups.delete(group)
      groups.set(group, use)
    }
    for (const [group, { running }] of groups) {
      if (groups.size <= MAX_GROUPS) return
      if (running === 0) groups.delete(group)
    }
  }

  return {
    start: (path: GroupPath) => record(path, 1),
    end: (path: GroupPath) => record(path, -1),
    countSteps: (group: string) => Math.floor(measureMs(groups.get(group), clock()) / stepMs),
    isHeavy: (group: string) =>
      measureMs(groups.get(group), clock()) > Math.max(HEAVY_MS, HEAVY_SHARE * measureMs(largest, clock())),
  }
}

/**
 * Groups take turns on every level: a network with a hundred addresses has as many turns as a network with one. With
 * `uses`, groups that used least are first, with what their next item will use (`estimateSteps`), because many networks
 * may have used nothing: a short job does not wait for a long one of every other network.
 */
export function createTurns<Item>(uses?: ReturnType<typeof createUses>, estimateSteps?: (item: Item) => number) {
  const root = createGroup<Item>()

  const estimate = ({ items: [item], groups }: Group<Item>): number =>
    item === undefined ? Math.min(...groups.values().map(estimate)) : estimateSteps!(item)
  const count = (name: string, group: Group<Item>) =>
    (uses?.countSteps(name) ?? 0) + (estimateSteps ? estimate(group) : 0)

  /** Returns the groups from the root to the end of the path, without groups that do not exist. */
  function follow(path: GroupPath): Group<Item>[] {
    const groups = [root]
    for (const name of path) {
      const next = groups.at(-1)!.groups.get(name)
      if (next) groups.push(next)
    }
    return groups
  }

  function listInOrder({ groups }: Group<Item>): Iterable<Group<Item>> {
    if (!uses || groups.size < 2) return groups.values()
    const listed = [...groups].map(([name, group]) => ({ group, steps: count(name, group) }))
    return listed.sort((a, b) => a.steps - b.steps).map(({ group }) => group)
  }

  function find(group: Group<Item>, test: (item: Item) => boolean): Item | undefined {
    const [first] = group.items
    if (first !== undefined && test(first)) return first
    for (const inner of listInOrder(group)) {
      const found = find(inner, test)
      if (found !== undefined) return found
    }
    return undefined
  }

  const listItems = (group: Group<Item>): Item[] => [...group.items, ...group.groups.values().flatMap(listItems)]

  return {
    /** Adds the item after others of its client for which `isBefore` is true. Default: all. */
    add(path: GroupPath, item: Item, isBefore?: (other: Item) => boolean): void {
      let group = root
      group.size++
      for (const name of path) {
        if (!group.groups.has(name)) group.groups.set(name, createGroup())
        group = group.groups.get(name)!
        group.size++
      }
      if (isBefore) group.items.splice(group.items.filter(isBefore).length, 0, item)
      else group.items.push(item)
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
    listWidestGroups: () => root.groups.keys(),
    findInWidestGroup: (name: string): Item | undefined => find(root.groups.get(name) ?? root, () => true),
    /**
     * Descends into the largest group on each level and returns its newest item. A group that used much counts as larger:
     * if each of many has one item, others must get in. If groups are equal, the group of `path` is chosen.
     */
    findSurplus(path: GroupPath): Item | undefined {
      let group = root
      for (let level = 0; group.groups.size > 0; level++) {
        let largest = { weight: 0, group, isOwn: false }
        for (const [name, inner] of group.groups) {
          const weight = inner.size * (1 + count(name, inner) / STEPS_PER_ITEM)
          const isLarger = weight > largest.weight || (weight === largest.weight && !largest.isOwn)
          if (isLarger) largest = { weight, group: inner, isOwn: name === path[level] }
        }
        group = largest.group
      }
      return group.items.at(-1)
    },
    list: () => listItems(root),
    size: () => root.size,
  }
}

export interface FairQueueOptions {
  readonly processes: number
  /** One more process for networks that have nothing running and are not heavy. Default: true. */
  readonly hasReserve?: boolean | undefined
  /** Memory of the largest job that is allowed. */
  readonly maxEstimatedBytes: number
  readonly clock?: () => number
}

/** Jobs up to this share of the maximum are small. The same share is reserved for them in addition. */
export const SMALL_SHARE = 1 / 16

const sumEstimates = (jobs: readonly QueuedJob[]) => jobs.reduce((sum, job) => sum + job.estimatedBytes, 0)

/** Decides which job runs next. Fair by client, and a large job delays only other large jobs. */
export function createFairQueue<Job extends QueuedJob>(options: FairQueueOptions) {
  const { processes, hasReserve = true, maxEstimatedBytes } = options
  const uses = createUses(options.clock)
  const estimateSteps = ({ estimatedMs = 0 }: Job) => estimatedMs / USE_STEP_MS
  const small = createTurns<Job>(uses, estimateSteps)
  const large = createTurns<Job>(uses)
  const maxSmallBytes = maxEstimatedBytes * SMALL_SHARE
  const isQuick = ({ estimatedMs = 0 }: QueuedJob) => estimatedMs <= QUICK_MS
  const isSmall = ({ estimatedBytes }: QueuedJob) => estimatedBytes <= maxSmallBytes
  const turnsOf = (job: Job) => (isSmall(job) ? small : large)
  let order = [small, large]

  /** The reserve takes no job that is not quick while a small one that is not quick runs: it is kept for quick ones. */
  const hasProcess = (job: Job, running: readonly Job[]) =>
    running.length < processes ||
    (hasReserve &&
      running.length === processes &&
      !uses.isHeavy(job.client[0] ?? '') &&
      running.every(
        (other) => other.client[0] !== job.client[0] && (isQuick(job) || isQuick(other) || !isSmall(other)),
      ))

  /**
   * All running jobs together take at most the maximum memory of one job, plus the share of small jobs. While a large
   * job waits, small jobs stay within their share, so they cannot delay it for long.
   */
  function fits(job: Job, running: readonly Job[]): boolean {
    const runningLarge = running.filter((other) => !isSmall(other))
    const total = sumEstimates(running) + job.estimatedBytes
    if (total > maxEstimatedBytes + maxSmallBytes) return false
    if (!isSmall(job))
      return runningLarge.length < processes && sumEstimates(runningLarge) + job.estimatedBytes <= maxEstimatedBytes
    return large.size() === 0 || total - sumEstimates(runningLarge) <= maxSmallBytes
  }

  const list = () => [...large.list(), ...small.list()]
  const remove = (job: Job) => turnsOf(job).remove(job.client, job)

  return {
    add: (job: Job) => turnsOf(job).add(job.client, job, (other) => Boolean(other.isContinued) || !job.isContinued),
    remove,
    /** Removes and returns the next job. Small and large jobs alternate. No large job overtakes the first large one. */
    takeNext(running: readonly Job[]): Job | undefined {
      for (const turns of order) {
        const canOvertake = turns === small
        const job = turns.find((job) => hasProcess(job, running) && (!canOvertake || fits(job, running)))
        if (!job || !fits(job, running)) continue
        order = canOvertake ? [large, small] : [small, large]
        turns.endTurn(job.client)
        remove(job)
        return job
      }
      return undefined
    },
    /** To be called when a job that was taken starts and ends. */
    start: ({ client }: Job) => uses.start(client),
    end: ({ client }: Job) => uses.end(client),
    /** The newest job of the network and client that have most waiting. Continued jobs do not keep others from waiting. */
    chooseRefused(newcomer: Job, maxQueued: number): Job | undefined {
      const turns = createTurns<Job>(uses, estimateSteps)
      for (const job of list()) if (!job.isContinued === !newcomer.isContinued) turns.add(job.client, job)
      return turns.size() > maxQueued ? turns.findSurplus(newcomer.client) : undefined
    },
    has: (job: Job) => turnsOf(job).list().includes(job),
    list,
    size: () => small.size() + large.size(),
  }
}
