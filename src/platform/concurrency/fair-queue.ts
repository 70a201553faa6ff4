export interface QueuedJob {
  /** Clients take turns. */
  readonly client: string
  /** What the job costs while it runs, such as the pixels of an image. */
  readonly weight: number
  /** The second part of a job that was admitted before. It runs before jobs that its client has not started yet. */
  readonly isContinued?: boolean
}

export interface FairQueueOptions {
  readonly workers: number
  /** The heaviest job that is allowed. */
  readonly maxWeight: number
}

/** Jobs up to this share of the maximum weight are small. As much again is reserved for small jobs. */
export const SMALL_SHARE = 1 / 16

/** The weight of a job whose weight is not known yet: every worker can start one within the share of small jobs. */
export const computeStartWeight = ({ workers, maxWeight }: FairQueueOptions) =>
  Math.floor((maxWeight * SMALL_SHARE) / (workers + 1))

const sumWeights = (jobs: readonly QueuedJob[]) => jobs.reduce((sum, job) => sum + job.weight, 0)

/** Waiting jobs by client, in the order of the clients' turns: a client that was served moves to the end. */
function createTurns<Job extends QueuedJob>() {
  const jobsByClient = new Map<string, Job[]>()

  function remove(job: Job): void {
    const others = (jobsByClient.get(job.client) ?? []).filter((other) => other !== job)
    if (others.length > 0) jobsByClient.set(job.client, others)
    else jobsByClient.delete(job.client)
  }

  return {
    add(job: Job): void {
      const jobs = jobsByClient.get(job.client) ?? []
      const at = job.isContinued ? jobs.filter((other) => other.isContinued).length : jobs.length
      jobsByClient.set(job.client, jobs.toSpliced(at, 0, job))
    },
    remove,
    findFirst: (canRun: (job: Job) => boolean) =>
      jobsByClient
        .values()
        .map(([job]) => job!)
        .find(canRun),
    take(job: Job): Job {
      remove(job)
      const jobs = jobsByClient.get(job.client)
      if (jobs && jobsByClient.delete(job.client)) jobsByClient.set(job.client, jobs)
      return job
    },
    list: () => [...jobsByClient.values()].flat(),
  }
}

/** Decides which job runs next. Fair by client, and a large job delays only other large jobs. */
export function createFairQueue<Job extends QueuedJob>({ workers, maxWeight }: FairQueueOptions) {
  const small = createTurns<Job>()
  const large = createTurns<Job>()
  const maxSmallWeight = maxWeight * SMALL_SHARE
  const isSmall = ({ weight }: QueuedJob) => weight <= maxSmallWeight
  const turnsOf = (job: Job) => (isSmall(job) ? small : large)
  const list = () => [...large.list(), ...small.list()]
  let order = [small, large]

  /** One extra worker is reserved for clients that have nothing running, so no client holds all workers. */
  const hasWorker = ({ client }: Job, running: readonly Job[]) =>
    running.length < workers || (running.length === workers && !running.some((other) => other.client === client))

  /**
   * Weight represents memory: running jobs together weigh at most as much as one job may, plus the share of small ones.
   * While a large job waits, small jobs stay within their share, so they cannot delay it for long.
   */
  function fits(job: Job, running: readonly Job[]): boolean {
    const runningLarge = running.filter((other) => !isSmall(other))
    const total = sumWeights(running) + job.weight
    if (total > maxWeight + maxSmallWeight) return false
    if (!isSmall(job)) return runningLarge.length < workers && sumWeights(runningLarge) + job.weight <= maxWeight
    return large.list().length === 0 || total - sumWeights(runningLarge) <= maxSmallWeight
  }

  return {
    add: (job: Job) => turnsOf(job).add(job),
    remove: (job: Job) => turnsOf(job).remove(job),
    /** Removes and returns the next job. Small and large jobs alternate. No large job overtakes the first large one. */
    takeNext(running: readonly Job[]): Job | undefined {
      for (const turns of order) {
        const canOvertake = turns === small
        const job = turns.findFirst((job) => hasWorker(job, running) && (!canOvertake || fits(job, running)))
        if (!job || !fits(job, running)) continue
        order = canOvertake ? [large, small] : [small, large]
        return turns.take(job)
      }
      return undefined
    },
    /** The job to refuse if the queue is full: the newcomer, or the newest job of a client that has more waiting. */
    chooseRefused(newcomer: Job): Job {
      const byClient = Map.groupBy(list(), ({ client }) => client)
      const own = byClient.get(newcomer.client) ?? []
      const longest = byClient.values().reduce((a, b) => (b.length > a.length ? b : a), own)
      return longest === own ? newcomer : longest.at(-1)!
    },
    list,
  }
}
