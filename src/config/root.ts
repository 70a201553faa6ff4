import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

/** The folder of package.json. It is the same when running from `src/` and from the bundle in `dist/`. */
export const ROOT = dirname(findPackageJSON('..', import.meta.url) as string)

/** The pixel code of the filters, which scripts/build.ts compiles to WebAssembly. */
export const KERNELS_FILE = join(ROOT, 'build', 'kernels.wasm')
