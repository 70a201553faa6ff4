// Which picture is worked on next. Fair by caller, and a large picture holds up nobody but other large ones.

export interface Waiting {
  readonly caller: string
  /** Over all frames; `pixelsToBegin` where they are yet to be found out. */
  readonly pixels: number
  /** It is the second step of what was let in before, and goes before what its caller has yet to begin. */
  readonly isAdmitted?: boolean
}

export interface LineOptions {
  readonly threads: number
  readonly maxPixels: number
}

/** Of the pixels that one picture may have: no more make a small one, and so many are for small ones only. */
export const SMALL_SHARE = 1 / 16

/** What a picture of unknown size is counted as: all threads may begin one, and stay within the share of small ones. */
export const pixelsToBegin = ({ threads, maxPixels }: LineOptions) =>
  Math.floor((maxPixels * SMALL_SHARE) / (threads + 1))

const sum = (jobs: readonly Waiting[]) => jobs.reduce((pixels, job) => pixels + job.pixels, 0)

/** Those that wait, by caller, in the order of the callers' turns: who was served goes to the end. */
function createTurns<Job extends Waiting>() {
  const lines = new Map<string, Job[]>()

  function remove(job: Job): void {
    const left = (lines.get(job.caller) ?? []).filter((other) => other !== job)
    if (left.length > 0) lines.set(job.caller, left)
    else lines.delete(job.caller)
  }

  return {
    add(job: Job): void {
      const line = lines.get(job.caller) ?? []
      const at = job.isAdmitted ? line.filter((other) => other.isAdmitted).length : line.length
      lines.set(job.caller, line.toSpliced(at, 0, job))
    },
    remove,
    first: (may: (job: Job) => boolean) =>
      lines
        .values()
        .map(([job]) => job!)
        .find(may),
    serve(job: Job): Job {
      remove(job)
      const line = lines.get(job.caller)
      if (line && lines.delete(job.caller)) lines.set(job.caller, line)
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
  const all = () => [...large.all(), ...small.all()]
  let order = [small, large]

  /** One thread more than there are is for callers who have nothing under way: nobody holds all of them. */
  const hasThread = ({ caller }: Job, underWay: readonly Job[]) =>
    underWay.length < threads || (underWay.length === threads && !underWay.some((other) => other.caller === caller))

  /**
   * Decoded pictures are what takes memory: together, those under way have no more pixels than one picture may have, and
   * the small share. While a large one waits, small ones keep to their share, so that they never hold it up for long.
   */
  function fits(job: Job, underWay: readonly Job[]): boolean {
    const larges = underWay.filter((other) => !isSmall(other))
    const together = sum(underWay) + job.pixels
    if (together > maxPixels + smallest) return false
    if (!isSmall(job)) return larges.length < threads && sum(larges) + job.pixels <= maxPixels
    return large.all().length === 0 || together - sum(larges) <= smallest
  }

  return {
    add: (job: Job) => turnsOf(job).add(job),
    remove: (job: Job) => turnsOf(job).remove(job),
    /** Takes the next one out. Small and large ones take turns; among the large nobody passes the one in front. */
    next(underWay: readonly Job[]): Job | undefined {
      for (const turns of order) {
        const mayPass = turns === small
        const job = turns.first((job) => hasThread(job, underWay) && (!mayPass || fits(job, underWay)))
        if (!job || !fits(job, underWay)) continue
        order = mayPass ? [large, small] : [small, large]
        return turns.serve(job)
      }
      return undefined
    },
    /** Who has to go where there are too many: the newcomer, or the last one of a caller who has more here. */
    leastDeserving(newcomer: Job): Job {
      const byCaller = Map.groupBy(all(), ({ caller }) => caller)
      const own = byCaller.get(newcomer.caller) ?? []
      const longest = byCaller.values().reduce((a, b) => (b.length > a.length ? b : a), own)
      return longest === own ? newcomer : longest.at(-1)!
    },
    all,
  }
}
