import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createRecentProblem, type Log } from '../../platform/logging/index.ts'

export { createGeneratedFiles, type GeneratedFiles } from './generated-files.ts'
export { createLogFiles, type LogFiles } from './log-files.ts'

export type Version = Awaited<ReturnType<typeof readVersion>>

/** `node` has no "v". `commit` is that of the git clone that runs, or of the build of an image; null: neither. */
export async function readVersion(root: string) {
  const { version }: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  return {
    version,
    node: process.versions.node,
    commit: (await readCommit(join(root, '.git'))) ?? (await readBuiltCommit(root)),
  }
}

/** The Dockerfile writes this file. */
const readBuiltCommit = async (root: string) => parseCommit(await readGitFile(join(root, 'dist', 'commit')))

/** Reads the files of git, because git itself may not be installed. */
async function readCommit(dotGit: string): Promise<string | null> {
  // In a worktree, `.git` is a file that names the folder of the worktree. Branches are in the folder of the clone.
  const worktree = /^gitdir: (.+)$/m.exec(await readGitFile(dotGit))?.[1]
  const gitDir = worktree === undefined ? dotGit : resolve(dotGit, '..', worktree)
  const commonDir = resolve(gitDir, (await readGitFile(join(gitDir, 'commondir'))) || '.')
  const head = await readGitFile(join(gitDir, 'HEAD'))
  const ref = /^ref: (.+)$/.exec(head)?.[1]
  if (!ref) return parseCommit(head)
  const commit = parseCommit(await readGitFile(join(commonDir, ref)))
  if (commit) return commit
  const packed = (await readGitFile(join(commonDir, 'packed-refs'))).split('\n')
  return parseCommit(packed.find((line) => line.endsWith(` ${ref}`))?.split(' ', 1)[0] ?? '')
}

/** The text without the line break at its end; empty if the file cannot be read. */
const readGitFile = async (file: string) => (await readFile(file, 'utf8').catch(() => '')).trimEnd()

const parseCommit = (text: string) => (/^[0-9a-f]{40,64}$/.test(text) ? text : null)

const UNITS = { day: 86_400, hour: 3_600, minute: 60, second: 1 }

export type Uptime = ReturnType<typeof formatUptime>

/** Returns a function that reads the uptime from the monotonic clock, because the system clock may jump. */
export function createUptimeClock(startedAt: Date): () => Uptime {
  const start = performance.now() - Math.max(0, Date.now() - startedAt.getTime())
  return () => formatUptime((performance.now() - start) / 1000, startedAt)
}

/** Time services correct smaller differences all the time. */
const MIN_CLOCK_JUMP_SECONDS = 60

/** Notices at each call of `check` that the system clock was set since the last one. */
export function createClockCheck(log: Pick<Log, 'warn'>) {
  const recent = createRecentProblem()
  const readOffset = () => (Date.now() - performance.now()) / 1000
  let last = readOffset()
  return {
    check(): void {
      const offset = readOffset()
      const seconds = Math.round(offset - last)
      last = offset
      if (Math.abs(seconds) < MIN_CLOCK_JUMP_SECONDS) return
      const jump = seconds > 0 ? 'forward, or the machine slept,' : 'back'
      const message = `the clock was set ${jump} by ${formatDuration(Math.abs(seconds))}: check scheduled releases and bans`
      log.warn({}, message)
      recent.report(message)
    },
    problem: recent.message,
  }
}

export function formatUptime(seconds: number, startedAt: Date) {
  const wholeSeconds = Math.floor(seconds)
  const parts = [Math.floor(wholeSeconds / 3600), Math.floor(wholeSeconds / 60) % 60, wholeSeconds % 60]
  return {
    /** Hours may exceed 24: "26:03:09". */
    time: parts.map((value) => String(value).padStart(2, '0')).join(':'),
    /** "1 day, 2 hours, 3 minutes and 9 seconds" */
    full: formatDuration(wholeSeconds),
    /** Seconds. */
    uptime: Math.round(seconds * 100) / 100,
    startedAt: startedAt.toISOString(),
  }
}

function formatDuration(seconds: number): string {
  const parts: string[] = []
  let remaining = seconds
  for (const [name, length] of Object.entries(UNITS)) {
    const count = Math.floor(remaining / length)
    remaining -= count * length
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`)
  }
  const last = parts.pop() ?? '0 seconds'
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
}
