import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** An operator may build several times before the service is restarted. */
const KEPT_BUILDS = 5

/**
 * Removes files of earlier builds from `folder`. Those of the last builds stay, because a service that is not restarted yet
 * loads some of its files, or starts threads from them, when they are first used. `listFile` has the files of each build.
 */
export async function removeOldFiles(folder: string, current: readonly string[], listFile: string): Promise<void> {
  const found = (await readdir(folder)).filter((name) => !name.startsWith('.'))
  const others = found.filter((name) => !current.includes(name))
  // A list that is missing, or that a killed build left incomplete, must not stop the build.
  const earlier: string[][] = await readFile(listFile, 'utf8')
    .then(JSON.parse)
    .catch(() => [others])
  const isOther = (build: readonly string[]) =>
    current.length !== build.length || current.some((name) => !build.includes(name))
  const builds = [current, ...earlier.filter(isOther)].slice(0, KEPT_BUILDS)
  await writeFile(listFile, JSON.stringify(builds))
  const kept = new Set(builds.flat())
  for (const name of found) if (!kept.has(name)) await rm(join(folder, name))
  // npm publishes only the current build.
  await writeFile(join(folder, '.npmignore'), others.join('\n'))
}
