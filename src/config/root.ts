import { existsSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join, resolve } from 'node:path'

/** The folder of package.json. It is the same when running from `src/` and from the bundle in `dist/`. */
export const ROOT = dirname(findPackageJSON('..', import.meta.url) as string)

/** The pixel code of the filters, which scripts/build.ts compiles to WebAssembly. */
export const KERNELS_FILE = join(ROOT, 'build', 'kernels.wasm')

/** The command that starts this program in `workingFolder`. The operator can copy it. */
export function formatProgramCall(root: string, workingFolder: string): string {
  const script = join(root, 'scripts', 'menagerie.mjs')
  // The image has only the bundle: commands run in its container. `menagerie` is the name of the service in compose.yaml.
  if (!existsSync(script)) return 'docker compose exec menagerie node dist/main.js'
  // The same test as in scripts/menagerie.mjs: a lock file means a clone, in which `menagerie` is not installed.
  if (!existsSync(join(root, 'package-lock.json'))) return isLocal(root) ? 'npx menagerie' : 'menagerie'
  return resolve(workingFolder) === resolve(root) ? 'npm run menagerie --' : `node ${quoteForShell(script)}`
}

/** Installed in a project, as npx does in a folder of its cache: the program is not on the PATH. */
const isLocal = (root: string) => existsSync(join(root, '..', '..', 'package.json'))

/** For replies to everyone, without the path of the clone. */
export const formatPublicProgramCall = (root: string, workingFolder: string): string =>
  formatProgramCall(root, workingFolder).replace(/^node .*/, 'node <clone>/scripts/menagerie.mjs')

export const quoteForShell = (word: string) =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
