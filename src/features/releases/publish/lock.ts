// One publisher at a time: each reads a file, changes it and writes it, and the later one would undo the earlier.
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { asPublishError, PublishError } from './publish-error.ts'

const LOCK = '.publishing'
const WAIT_MS = 10_000
const ASK_AGAIN_MS = 25
// Of a process on another machine only the age of its lock tells; the work under it takes milliseconds.
const SURELY_ABANDONED_MS = 5 * 60_000
// A process that was killed between making its lock and writing its name on it, which takes a moment.
const NAMELESS_ABANDONED_MS = 2000

interface Owner {
  readonly pid: number
  readonly host: string
}

export async function withLock<T>(dir: string, work: () => Promise<T>, waitMs = WAIT_MS): Promise<T> {
  const file = join(dir, LOCK)
  try {
    await mkdir(dir, { recursive: true })
    await takeWithin(waitMs, file)
    try {
      return await work()
    } finally {
      await rm(file, { force: true })
    }
  } catch (error) {
    throw asPublishError(error)
  }
}

async function takeWithin(waitMs: number, file: string): Promise<void> {
  const giveUp = performance.now() + waitMs
  while (!(await take(file))) {
    if (performance.now() > giveUp) throw await busy(file)
    if (await isAbandoned(file)) await breakOpen(file)
    else await sleep(ASK_AGAIN_MS * (0.5 + Math.random()))
  }
}

async function take(file: string): Promise<boolean> {
  try {
    await using handle = await open(file, 'wx')
    await handle.writeFile(JSON.stringify({ pid: process.pid, host: hostname() } satisfies Owner))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Two that find a lock abandoned must not both remove it: the later one would remove the lock of the earlier. */
async function breakOpen(file: string): Promise<void> {
  const tool = `${file}.breaking`
  if (!(await take(tool))) {
    await sleep(ASK_AGAIN_MS * (0.5 + Math.random()))
    if (await isAbandoned(tool)) await rm(tool, { force: true })
    return
  }
  try {
    if (await isAbandoned(file)) await rm(file, { force: true })
  } finally {
    await rm(tool, { force: true })
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  const owner = await ownerOf(file)
  if (owner?.host === hostname()) return !isAlive(owner.pid)
  const found = await stat(file).catch(() => undefined)
  const patience = owner ? SURELY_ABANDONED_MS : NAMELESS_ABANDONED_MS
  return found !== undefined && Date.now() - found.mtimeMs > patience
}

/** Undefined also for the moment between the making of the lock and the writing of the name on it. */
async function ownerOf(file: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function busy(file: string): Promise<PublishError> {
  const owner = await ownerOf(file)
  const who = owner ? `process ${owner.pid} on ${owner.host}` : 'another process'
  return new PublishError(`Publishing is held by ${who}; wait for it, or remove ${file} if it is gone.`)
}
