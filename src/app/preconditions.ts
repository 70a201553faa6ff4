// What must hold before the service can start, however many processes it is.
import { access, constants, mkdir } from 'node:fs/promises'
import type { Config } from '../config/config.ts'

/** Something outside is not as the service needs it; the message is for the operator. */
export class StartError extends Error {}

export async function ensureWritable(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true })
    await access(dir, constants.W_OK)
  } catch (error) {
    throw new StartError(`DATA_DIR (${dir}) must be a folder that can be written to: ${(error as Error).message}`)
  }
}

/** With SQLite each worker would have its own counts, bans and limits. */
export function assertSharedStore({ WORKERS, STORE_URL }: Config): void {
  if (WORKERS === 1 || STORE_URL.startsWith('redis')) return
  throw new StartError(
    `WORKERS is ${WORKERS}, and several workers need a shared store. Set STORE_URL to redis://…, or WORKERS to 1.`,
  )
}
