import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const NAME = /^worker-(\d+)$/

/**
 * Where one of several processes keeps its journal. A folder belongs to one process at a time, because only its owner can
 * tell a journal that nobody renews any more from one whose writer was held up: a worker's to whoever has its number; all
 * that have no worker (any more) to the first.
 */
export function countFolders(root: string, { number, workers }: { number: number; workers: number }) {
  const isAlone = workers === 1
  const folder = isAlone ? root : join(root, `worker-${number}`)
  if (number !== 1) return { folder, leftIn: [] }
  const unowned = foldersIn(root).filter((name) => isAlone || Number(NAME.exec(name)?.[1]) > workers)
  return { folder, leftIn: [...(isAlone ? [] : [root]), ...unowned.map((name) => join(root, name))] }
}

/** None where the root is not there yet. */
function foldersIn(root: string): string[] {
  try {
    return readdirSync(root).filter((name) => NAME.test(name))
  } catch {
    return []
  }
}
