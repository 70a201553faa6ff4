// main.ts imports this file before it checks the version of Node, so it may only use what old versions understand.
import { availableParallelism } from 'node:os'

/** The oldest supported version. scripts/menagerie.mjs downloads one if the installed Node is older. */
export const OLDEST_NODE = 24

export const isTooOld = (version: string) => Number(version.split('.')[0]) < OLDEST_NODE

/** The default size of Node's thread pool, kept free for files, DNS and compression. */
const THREADS_FOR_IO = 4

/**
 * Image decoders run in Node's thread pool. With the default of four threads, a few slow images would block all file
 * access. Must be called before the pool is first used.
 */
export function enlargeThreadPool(environment: NodeJS.ProcessEnv): void {
  // The image engine uses one thread per core plus one, and twice as many while it replaces threads that hang.
  const threadsForDecoders = 2 * (availableParallelism() + 1)
  environment.UV_THREADPOOL_SIZE ??= String(threadsForDecoders + THREADS_FOR_IO)
}
