import { lstat, mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PlannedFile } from './plan.ts'

export interface Standing {
  /** Not there yet. */
  readonly missing: readonly PlannedFile[]
  /** There, and something else. */
  readonly inTheWay: readonly PlannedFile[]
}

/** How a folder compares with the plan; what is there already as planned is neither missing nor in the way. */
export async function compare(folder: string, files: readonly PlannedFile[]): Promise<Standing> {
  const missing: PlannedFile[] = []
  const inTheWay: PlannedFile[] = []
  for (const file of files) {
    const path = join(folder, file.path)
    const found = await lstat(path).catch(absent)
    if (!found) missing.push(file)
    else if (!found.isFile() || !file.bytes.equals(await readFile(path))) inTheWay.push(file)
  }
  return { missing, inTheWay }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Never writes over anything: a file that came meanwhile, or a link that dangles, stops it. */
export async function writeNew(folder: string, { path, bytes, mode = 0o644 }: PlannedFile): Promise<void> {
  const target = join(folder, path)
  await mkdir(dirname(target), { recursive: true })
  await using file = await open(target, 'wx', mode)
  await file.writeFile(bytes)
}

/** Gives what is in the way another name, beside it; returns that name. */
export async function setAside(folder: string, path: string): Promise<string> {
  for (let number = 1; ; number++) {
    const kept = `${path}.before${number === 1 ? '' : `-${number}`}`
    if (await lstat(join(folder, kept)).catch(absent)) continue
    await rename(join(folder, path), join(folder, kept))
    return kept
  }
}
