// If every core is busy, the thread that answers requests goes before the threads that process pixels.
import { readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

const LOWER = constants.priority.PRIORITY_BELOW_NORMAL

/** Threads that decode and encode for the whole process, by their names on Linux. */
const DECODER_THREADS = ['libuv-worker', 'libvips worker']
const THREADS_DIR = '/proc/self/task'

/** Never raises a priority: that needs a privilege, and the operator may have lowered it further. */
function lower(thread: number): void {
  if (getPriority(thread) < LOWER) setPriority(thread, LOWER)
}

/** For the calling thread. Only Linux has priorities per thread; elsewhere this would change the process. */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') lower(0)
}

/** These threads exist after the first image was decoded. Threads that they start later inherit the priority. */
export function lowerDecoderPriority(): void {
  if (process.platform !== 'linux') return
  for (const thread of readdirSync(THREADS_DIR)) {
    try {
      const name = readFileSync(`${THREADS_DIR}/${thread}/comm`, 'utf8').trim()
      if (DECODER_THREADS.includes(name)) lower(Number(thread))
    } catch {
      // The thread has ended, or a sandbox forbids it. Then all threads share the cores equally.
    }
  }
}
