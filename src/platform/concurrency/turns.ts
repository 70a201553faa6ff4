/** Leads from the widest group of a client to the client itself, such as its network and its address. */
export type GroupPath = readonly string[]

interface Group<Item> {
  readonly groups: Map<string, Group<Item>>
  readonly items: Item[]
  /** Of the items in this group and in all groups below it. */
  weight: number
  /** Of the groups in this one. */
  readonly positions: Positions | undefined
}

/** Only recent use counts: it halves in this time. */
const HALF_LIFE_MS = 60_000
/** Groups whose use differs by less take turns. */
const USE_STEP_MS = 100
/** A group is heavy if it used more than this, and more than this share of what the group with most use did. */
const HEAVY_MS = 2000
const HEAVY_SHARE = 1 / 2
/** If the queue is full, an item counts as one more for each time that its group has used so much. */
const MS_PER_ITEM = 1000
const OWN_FACTOR = 1.25
/** More does not count: otherwise, a group that used much for minutes would wait until others have used as much. */
const MAX_COUNTED_MS = 10_000
const MAX_GROUPS = 10_000

interface Use {
  readonly ms: number
  readonly at: number
  readonly running: number
}

const measure = (use: Use | undefined, now: number) =>
  use ? use.ms * 2 ** ((use.at - now) / HALF_LIFE_MS) + use.running * (now - use.at) : 0

type Uses = ReturnType<typeof createUses>
type Positions = ReturnType<Uses['createPositions']>

/** Measures how long each group has used something lately, such as image processes. */
export function createUses(stepMs = USE_STEP_MS, clock = () => performance.now()) {
  const groups = new Map<string, Use>()
  let largest: Use | undefined

  function record(path: GroupPath, change: 1 | -1, unusedMs = 0): void {
    const at = clock()
    for (const group of path) {
      const last = groups.get(group)
      const ms = Math.max(0, measure(last, at) - Math.max(0, unusedMs || 0))
      const use = { ms, at, running: (last?.running ?? 0) + change }
      if (use.ms > measure(largest, at)) largest = { ...use, running: 0 }
      // At the end of the map: its first group is the one that was changed longest ago.
      groups.delete(group)
      groups.set(group, use)
    }
    for (const [group, { running }] of groups) {
      if (groups.size <= MAX_GROUPS) return
      if (running === 0) groups.delete(group)
    }
  }

  const measureAt = (group: string, at: number) => measure(groups.get(group), at)
  const limit = (ms: number) => Math.min(MAX_COUNTED_MS, ms)

  /**
   * Orders groups that wait (fair queueing). A group that begins to wait gets the position of the last turn, or a later
   * one that it has from its earlier turns. What it uses from then on is added.
   */
  function createPositions() {
    /** The position of a group without its use. */
    const offsets = new Map<string, Use>()
    let lastTurn: Use | undefined
    const readMs = (group: string, at = clock()) => measureAt(group, at) + measure(offsets.get(group), at)
    return {
      readMs: (group: string) => readMs(group),
      enter(group: string): void {
        const at = clock()
        const lastMs = measure(lastTurn, at)
        const ms = lastMs + limit(Math.max(0, readMs(group, at) - lastMs))
        offsets.delete(group)
        offsets.set(group, { ms: ms - measureAt(group, at), at, running: 0 })
        const [oldest = ''] = offsets.keys()
        if (offsets.size > MAX_GROUPS) offsets.delete(oldest)
      },
      endTurn(group: string): void {
        const at = clock()
        lastTurn = { ms: Math.max(measure(lastTurn, at), readMs(group, at)), at, running: 0 }
      },
    }
  }

  return {
    createPositions,
    start: (path: GroupPath) => record(path, 1),
    /** `unusedMs`: what does not count of the time since the start. NaN if it is unknown. */
    end: (path: GroupPath, unusedMs?: number) => record(path, -1, unusedMs),
    readMs: (group: string) => measureAt(group, clock()),
    measureMs: (group: string) => limit(measureAt(group, clock())),
    countSteps: (ms: number) => Math.floor(ms / stepMs),
    isHeavy(group: string): boolean {
      const at = clock()
      return limit(measureAt(group, at)) > Math.max(HEAVY_MS, HEAVY_SHARE * limit(measure(largest, at)))
    },
  }
}

interface TurnsOptions<Item> {
  readonly uses?: Uses | undefined
  /** How long the item will use it. */
  readonly estimateMs?: (item: Item) => number
  /** A whole number. Default: 1. */
  readonly weigh?: ((item: Item) => number) | undefined
}

/**
 * Groups take turns on every level: a network with a hundred addresses has as many turns as a network with one. With
 * `uses`, the next item is the one after which its group will have used least (`estimateMs`): a short job does not wait
 * for a long one of every other network.
 */
export function createTurns<Item>({ uses, estimateMs, weigh = () => 1 }: TurnsOptions<Item> = {}) {
  const createGroup = (): Group<Item> => ({
    groups: new Map(),
    items: [],
    weight: 0,
    positions: uses?.createPositions(),
  })
  const root = createGroup()

  /** How long the next item of a group will take. */
  function estimateNext({ items: [item], groups }: Group<Item>): number {
    if (!estimateMs) return 0
    if (item !== undefined) return estimateMs(item)
    let least = Number.POSITIVE_INFINITY
    for (const inner of groups.values()) least = Math.min(least, estimateNext(inner))
    return least
  }

  /** Returns the groups from the root to the end of the path, without groups that do not exist. */
  function follow(path: GroupPath): Group<Item>[] {
    const groups = [root]
    for (const name of path) {
      const next = groups.at(-1)!.groups.get(name)
      if (next) groups.push(next)
    }
    return groups
  }

  function listInOrder({ groups, positions }: Group<Item>): Iterable<Group<Item>> {
    if (!uses || !positions || groups.size < 2) return groups.values()
    const listed = [...groups].map(([name, group]) => ({
      group,
      steps: uses.countSteps(positions.readMs(name) + estimateNext(group)),
    }))
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

  return {
    /** Adds the item after others of its client for which `isBefore` is true. Default: all. */
    add(path: GroupPath, item: Item, isBefore?: (other: Item) => boolean): void {
      let group = root
      const weight = weigh(item)
      group.weight += weight
      for (const name of path) {
        if (!group.groups.has(name)) {
          group.groups.set(name, createGroup())
          group.positions?.enter(name)
        }
        group = group.groups.get(name)!
        group.weight += weight
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
      for (const [depth, group] of groups.entries()) {
        group.weight -= weigh(item)
        if (depth > 0 && group.weight === 0) groups[depth - 1]!.groups.delete(path[depth - 1]!)
      }
    },
    /** Puts every group of the path at the end of its level: it had its turn. */
    endTurn(path: GroupPath): void {
      for (const [depth, { groups, positions }] of follow(path).entries()) {
        const name = path[depth]
        const group = name === undefined ? undefined : groups.get(name)
        if (!group || !groups.delete(name!)) return
        groups.set(name!, group)
        positions?.endTurn(name!)
      }
    },
    /** Returns the next item for which `test` is true. Only the first item of a client can be next. */
    find: (test: (item: Item) => boolean) => find(root, test),
    listWidestGroups: () => root.groups.keys(),
    findInWidestGroup: (name: string): Item | undefined => find(root.groups.get(name) ?? root, () => true),
    /**
     * Descends into the heaviest group on each level and returns its newest item. A group that used much counts as
     * heavier: if each of many has one item, others must get in. If groups are nearly equal, the group of `path` is
     * chosen: others have begun their work.
     */
    findSurplus(path: GroupPath): Item | undefined {
      let group = root
      for (let depth = 0; group.groups.size > 0; depth++) {
        let largest = { load: 0, group }
        for (const [name, inner] of group.groups) {
          const usedMs = uses?.measureMs(name) ?? 0
          const isOwn = name === path[depth]
          const load = inner.weight * (1 + usedMs / MS_PER_ITEM) * (isOwn ? OWN_FACTOR : 1)
          if (load >= largest.load) largest = { load, group: inner }
        }
        group = largest.group
      }
      return group.items.at(-1)
    },
    size: () => root.weight,
  }
}
