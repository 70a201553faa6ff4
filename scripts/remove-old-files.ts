import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** An operator may build several times before the service is restarted. */
const KEPT_BUILDS = 5

/**
 * Removes files of earlier builds from `folder`. Those of the last builds stay, because a service that is not restarted yet
 * loads some of its files, or starts threads from them, when they are first used. `listFile` has the files of each build.
 */
export async function removeOldFiles(folder: string, current: readonly string[], listFile: string): Promise<void> {
  const found = await readdir(folder)
  const others = found.filter((name) => !current.includes(name))
  const text = await readFile(listFile, 'utf8').catch(() => JSON.stringify([others]))
  const isOther = (build: readonly string[]) => current.some((name) => !build.includes(name))
  const builds = [current, ...(JSON.parse(text) as string[][]).filter(isOther)].slice(0, KEPT_BUILDS)
  await writeFile(listFile, JSON.stringify(builds))
  const kept = new Set(builds.flat())
  for (const name of found) if (!kept.has(name)) await rm(join(folder, name))
}
