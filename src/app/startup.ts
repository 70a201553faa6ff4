// What single processes, primaries and workers do before they start.
import { access, constants, mkdir } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import { OperatorError } from '../errors/index.ts'

export async function ensureWritable(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true })
    await access(dir, constants.W_OK)
  } catch (error) {
    throw new OperatorError(`DATA_DIR (${dir}) must be a writable folder: ${(error as Error).message}`)
  }
}

/** With SQLite each worker would have its own counts, bans and limits. */
export function assertSharedStore({ WORKERS, STORE_URL }: Config): void {
  if (WORKERS === 1 || STORE_URL.startsWith('redis')) return
  throw new OperatorError(
    `WORKERS is ${WORKERS}, and several workers need a shared store. Set STORE_URL to redis://…, or WORKERS to 1.`,
  )
}

/** Returns a function that registers an opened part: `stack` closes the parts in reverse order. */
export const createCloser =
  (stack: AsyncDisposableStack) =>
  <T extends { close(): unknown }>(part: T): T =>
    stack.adopt(part, async () => void (await part.close()))
