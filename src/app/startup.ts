// What single processes, primaries and workers do before they start and when they stop.
import { access, constants, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { OperatorError } from '../errors/index.ts'
import { lockFile } from '../platform/files/index.ts'
import type { ShutdownOptions } from '../platform/workers/index.ts'

export async function ensureDataDir(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true })
    await access(dir, constants.W_OK)
  } catch (error) {
    throw new OperatorError(`DATA_DIR (${dir}) must be a writable folder: ${(error as Error).message}`)
  }
}

/**
 * Two services in one folder would delete each other's log files, and each would allow the full rate limit. Where the
 * file system has no locks, this has no effect.
 */
export async function lockDataDir(dir: string): Promise<{ close(): void }> {
  const lock = await lockFile(join(dir, 'service.lock')).catch(() => ({ close() {} }))
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

/**
 * If systemd holds the port, the next process accepts the connections that wait; those that this process has accepted
 * may still send a request. Otherwise closing the port must reset no connection.
 */
export function readStopOptions({ STOP_GRACE_SECONDS, LISTEN_FDS }: Config): ShutdownOptions {
  const graceMs = STOP_GRACE_SECONDS * 1000
  if (LISTEN_FDS > 0) return { graceMs, lingerMs: MIN_GRACE_MS }
  return { graceMs: Math.max(graceMs, MIN_GRACE_MS), lingerMs: 0, holdsRequests: true }
}

/** Returns `closeLater(part)`, which makes `stack` close the part, in reverse order of opening. */
export const createCloseLater =
  (stack: AsyncDisposableStack) =>
  <T extends { close(): unknown }>(part: T): T =>
    stack.adopt(part, async () => void (await part.close()))
