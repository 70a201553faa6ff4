import { findPackageJSON } from 'node:module'
import { dirname } from 'node:path'

/** The folder of package.json. It is the same when running from `src/` and from the bundle in `dist/`. */
export const ROOT = dirname(findPackageJSON('..', import.meta.url) as string)
