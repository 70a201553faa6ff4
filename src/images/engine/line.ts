// Which picture is worked on next. Fair by caller, and a large picture holds up nobody but other large ones.

export interface Waiting {
  readonly caller: string
  /** Over all frames; none where they are yet to be found out. */
  readonly pixels: number
}

export interface LineOptions {
  readonly threads: number
  readonly maxPixels: number
}

/** Of the pixels that one picture may have: no more make a small one, and so many are for small ones only. */
export const SMALL_SHARE = 1 / 16

const sum = (jobs: readonly Waiting[]) => jobs.reduce((pixels, job) => pixels + job.pixels, 0)

/** Those that wait, by caller, in the order of the callers' turns: who was served goes to the end. */
function createTurns<Job extends Waiting>() {
  const lines = new Map<string, Job[]>()

  function remove(job: Job): boolean {
    const line = lines.get(job.caller) ?? []
    const at = line.indexOf(job)
    if (at >= 0) line.splice(at, 1)
    if (line.length === 0) lines.delete(job.caller)
    return at >= 0
  }

  return {
    add: (job: Job) => void lines.set(job.caller, [...(lines.get(job.caller) ?? []), job]),
    remove,
    first: (may: (job: Job) => boolean) =>
      lines
        .values()
        .map(([job]) => job!)
        .find(may),
    serve(job: Job): Job {
      const line = lines.get(job.caller)!
      lines.delete(job.caller)
      lines.set(job.caller, line)
      remove(job)
      return job
    },
    all: () => [...lines.values()].flat(),
  }
}

export function createLine<Job extends Waiting>({ threads, maxPixels }: LineOptions) {
  const small = createTurns<Job>()
  const large = createTurns<Job>()
  const smallest = maxPixels * SMALL_SHARE
  const isSmall = ({ pixels }: Waiting) => pixels <= smallest
  const turnsOf = (job: Job) => (isSmall(job) ? small : large)
  let turn = [small, large]

  /** One thread more than there are is for callers who have nothing under way: nobody holds all of them. */
  const hasThread = ({ caller }: Job, underWay: readonly Job[]) =>
    underWay.length < threads || (underWay.length === threads && !underWay.some((other) => other.caller === caller))

  /**
   * Decoded pictures are what takes memory: together, those under way have no more pixels than one picture may have, and
   * the small share. While a large one waits, small ones keep to their share, so that they never hold it up for long.
   */
  function fits(job: Job, underWay: readonly Job[]): boolean {
    const larges = underWay.filter((other) => !isSmall(other))
    const all = sum(underWay) + job.pixels
    if (all > maxPixels + smallest) return false
    if (!isSmall(job)) return larges.length < threads && sum(larges) + job.pixels <= maxPixels
    return large.all().length === 0 || all - sum(larges) <= smallest
  }

  return {
    add: (job: Job) => turnsOf(job).add(job),
    /** Whether it was there. */
    remove: (job: Job) => turnsOf(job).remove(job),
    /** Takes the next one out. Small and large ones take turns; among the large nobody passes the one in front. */
    next(underWay: readonly Job[]): Job | undefined {
      for (const turns of turn) {
        const job =
          turns === small
            ? small.first((job) => hasThread(job, underWay) && fits(job, underWay))
            : large.first((job) => hasThread(job, underWay))
        if (!job || !fits(job, underWay)) continue
        turn = turns === small ? [large, small] : [small, large]
        return turns.serve(job)
      }
      return undefined
    },
    /** Of the caller who has most here, the one that came last. */
    leastDeserving(): Job | undefined {
      const byCaller = Map.groupBy([...large.all(), ...small.all()], ({ caller }) => caller)
      return [...byCaller.values()].reduce((a: Job[], b) => (b.length > a.length ? b : a), []).at(-1)
    },
    all: () => [...large.all(), ...small.all()],
    size: () => large.all().length + small.all().length,
  }
}
