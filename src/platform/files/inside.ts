import { realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'

const LONGEST_NAME = 1024

/**
 * The real path of `name` inside `root`, or undefined. A name comes from a stranger: nothing outside the folder
 * may be reached or even be told apart from what does not exist. Stops `..`, absolute paths, backslashes (a
 * separator elsewhere), NUL (cuts a path short in C), dot files, and links that point outside.
 */
export async function inside(root: string, name: string): Promise<string | undefined> {
  if (!isPlainName(name)) return undefined
  try {
    const [realRoot, real] = await Promise.all([realpath(root), realpath(join(root, name))])
    return real.startsWith(realRoot + sep) ? real : undefined
  } catch {
    return undefined
  }
}

/** One or more plain segments joined by single slashes. */
export function isPlainName(name: string): boolean {
  if (name.length === 0 || name.length > LONGEST_NAME || /[\0\\]/.test(name)) return false
  return name.split('/').every((segment) => segment !== '' && !segment.startsWith('.'))
}
