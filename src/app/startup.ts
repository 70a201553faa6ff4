// What single processes, primaries and workers do before they start and when they stop.
import { access, constants, mkdir } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import { OperatorError } from '../errors/index.ts'
import { lockFolder } from '../platform/files/index.ts'

export async function ensureDataDir(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true })
    await access(dir, constants.W_OK)
  } catch (error) {
    throw new OperatorError(`DATA_DIR (${dir}) must be a writable folder: ${(error as Error).message}`)
  }
}

/** Two services in one folder would delete each other's log files, and each would allow the full rate limit. */
export async function lockDataDir(dir: string): Promise<{ close(): void }> {
  const lock = await lockFolder(dir)
  if (lock) return lock
  throw new OperatorError(`Another service uses DATA_DIR (${dir}). Stop it, or set another DATA_DIR.`)
}

/** Several workers need Redis: SQLite has no shared rate limits, so each worker would allow the full limit. */
export function assertSharedStore({ WORKERS, STORE_URL }: Config): void {
  if (WORKERS === 1 || STORE_URL.startsWith('redis')) return
  throw new OperatorError(
    `WORKERS is ${WORKERS}, and several workers need a shared store. Set STORE_URL to redis://…, or WORKERS to 1.`,
  )
}

/** In this time most clients with open connections send a request, and learn from its reply that theirs closes. */
const MIN_GRACE_MS = 500

export const readGraceMs = ({ STOP_GRACE_SECONDS }: Config) => Math.max(STOP_GRACE_SECONDS * 1000, MIN_GRACE_MS)

/** Returns `closeLater(part)`, which makes `stack` close the part, in reverse order of opening. */
export const createCloseLater =
  (stack: AsyncDisposableStack) =>
  <T extends { close(): unknown }>(part: T): T =>
    stack.adopt(part, async () => void (await part.close()))
