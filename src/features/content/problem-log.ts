import type { Log, Problem } from '../../platform/logging/index.ts'

const LOG_DELAY_MS = 1000
const MAX_LOGGED_PROBLEMS = 20

/** Logs problems in batches, and not all of them: 100,000 broken files must not fill the disk with log lines. */
export function createProblemLog(log: Log, dir: string) {
  let problems: Problem[] = []
  let timer: NodeJS.Timeout | undefined

  const flush = () => {
    timer = undefined
    for (const { message, ...place } of problems.slice(0, MAX_LOGGED_PROBLEMS)) {
      const subject = place.file === '.' ? `the folder ${dir}` : place.file
      log.warn(place, `content: ${subject} has a problem: ${message}`)
    }
    const more = problems.length - MAX_LOGGED_PROBLEMS
    if (more > 0) log.warn({ more }, 'content: more files have problems; `content check` lists all of them')
    problems = []
  }

  return {
    add(problem: Problem) {
      problems.push(problem)
      timer ??= setTimeout(flush, LOG_DELAY_MS).unref()
    },
    close() {
      clearTimeout(timer)
      flush()
    },
  }
}
