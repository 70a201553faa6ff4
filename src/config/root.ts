import { findPackageJSON } from 'node:module'
import { dirname } from 'node:path'

/** The folder of the package: the same whether this runs from `src/` or from the bundle in `dist/`. */
export const ROOT = dirname(findPackageJSON('..', import.meta.url) as string)
