import { join } from 'node:path'

/** The root folder of the project. */
export const ROOT = join(import.meta.dirname, '..', '..')

/** The bundled program, which `npm test` has built: what users run, and it starts in half the time of the sources. */
export const PROGRAM = join(ROOT, 'dist', 'main.js')
