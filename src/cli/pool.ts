import { availableParallelism } from 'node:os'

/** For files, names and compression, whatever pictures are worked on. */
const FOR_THE_REST = 4

/**
 * Node has one pool of threads for all that takes long, four unless told otherwise, and decoders run in it, too: a few
 * slow pictures would have every file wait for them. So there are as many as decoders ever take, and the usual four. Must
 * be said before the first use of the pool.
 */
export function widenPool(environment: NodeJS.ProcessEnv): void {
  // The engine has a thread a core and one more, and as many again while those that hang are replaced.
  const forDecoders = 2 * (availableParallelism() + 1)
  environment.UV_THREADPOOL_SIZE ??= String(forDecoders + FOR_THE_REST)
}
