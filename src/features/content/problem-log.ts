import type { Log, Problem } from './types.ts'

const GATHER_MS = 1000
const MAX_NAMED = 20

/** Logs problems as they come up, many at a time: a folder of 100,000 broken files is not to fill a disk with log lines. */
export function problemLog(log: Log, dir: string) {
  let gathered: Problem[] = []
  let timer: NodeJS.Timeout | undefined

  const tell = () => {
    timer = undefined
    for (const { message, ...place } of gathered.slice(0, MAX_NAMED)) {
      const what = place.file === '.' ? `the folder ${dir}` : place.file
      log.warn(place, `content: ${what} is not served as it is: ${message}`)
    }
    const more = gathered.length - MAX_NAMED
    if (more > 0) log.warn({ more }, 'content: more files have problems; `content check` names all of them')
    gathered = []
  }

  return {
    notice(problem: Problem) {
      gathered.push(problem)
      timer ??= setTimeout(tell, GATHER_MS).unref()
    },
    close() {
      clearTimeout(timer)
      tell()
    },
  }
}
