import { join } from 'node:path'

/**
 * The folder of the whole program. The bundle lies one folder below it, as this file does, so the answer is the same in
 * both; nothing else may ask where its own file is.
 */
export const ROOT = join(import.meta.dirname, '..')
