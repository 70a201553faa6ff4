// The programs of threads and child processes: source files that another file names as `new URL('./x.ts', import.meta.url)`.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

export const SOURCES = join(import.meta.dirname, '..', 'src')
const PROGRAM_URL = /new URL\('(\.\/[\w-]+\.ts)', import\.meta\.url\)/g

/** `platform/store/x.ts` becomes `platform-store-x`, because all bundles are in one folder. */
export const toBundleName = (file: string) => relative(SOURCES, file).replace(/\.ts$/, '').split(sep).join('-')

/** Makes a source file start the bundles of its programs. They are next to `baseUrl`, a JavaScript expression. */
export const replaceProgramUrls = (file: string, source: string, baseUrl = 'import.meta.url') =>
  source.replace(
    PROGRAM_URL,
    (_, program) => `new URL('./${toBundleName(join(dirname(file), program))}.js', ${baseUrl})`,
  )

/** Source files that start programs, with the files of the programs. */
export const listProgramStarters = () =>
  globSync(join(SOURCES, '**/*.ts')).flatMap((file) => {
    const programs = [...readFileSync(file, 'utf8').matchAll(PROGRAM_URL)].map(([, path = '']) =>
      join(dirname(file), path),
    )
    return programs.length > 0 ? [{ file, programs }] : []
  })
