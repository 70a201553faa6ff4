// Pixels wait for replies, not replies for pixels: where every core is busy, the thread that answers requests goes first.
import { readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

const LATER = constants.priority.PRIORITY_BELOW_NORMAL

/** Threads that decode and encode for all of the process, by the names that Linux shows. */
const DECODERS = ['libuv-worker', 'libvips worker']
const THREADS = '/proc/self/task'

/** A service that was told to step back further stays there; to go forward is not allowed to everybody, and would be an error. */
function stepBackAs(thread: number): void {
  if (getPriority(thread) < LATER) setPriority(thread, LATER)
}

/** Of the calling thread: Linux keeps a priority a thread. Elsewhere it is the process's, and stays as it is. */
export function stepBack(): void {
  if (process.platform === 'linux') stepBackAs(0)
}

/** They exist once a picture was decoded; threads that they start later take after them. */
export function letDecodersStepBack(): void {
  if (process.platform !== 'linux') return
  for (const thread of readdirSync(THREADS)) {
    try {
      const name = readFileSync(`${THREADS}/${thread}/comm`, 'utf8').trim()
      if (DECODERS.includes(name)) stepBackAs(Number(thread))
    } catch {
      // It has ended meanwhile, or a sandbox forbids it: then all share alike.
    }
  }
}
