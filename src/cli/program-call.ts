import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** How a person calls this program from a folder, so that what is shown can be typed as it is. */
export function programCall(root: string, folder: string): string {
  // As the start script decides: a clone is not installed, and no command leads to it.
  if (!existsSync(join(root, 'package-lock.json'))) return 'menagerie'
  return resolve(folder) === resolve(root)
    ? 'npm run menagerie --'
    : `node ${quoted(join(root, 'scripts', 'menagerie.mjs'))}`
}

/** As a shell takes it for one word. */
export const quoted = (word: string) => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
