import { join } from 'node:path'

/** The folder of the program: what comes with it (content, build, package.json) is looked up from here. */
export const ROOT = join(import.meta.dirname, '..')
