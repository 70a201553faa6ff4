// Bundles the libraries that most test files load. Finding and reading their 900 files took a third of a second of CPU
// time in each test process. Threads and child processes of tests run the bundles in dist/ instead of their TypeScript files,
// whose types Node would strip at each start: an image process takes a third of the CPU time then.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { writeAtomically } from '../src/platform/files/index.ts'
import { listProgramStarters, replaceProgramUrls } from './programs.ts'

const LIBRARIES = [
  'typebox',
  'typebox/value',
  'typebox/compile',
  '@redis/client',
  'ajv/dist/2020.js',
  'ajv-formats',
  'sanitize-html',
  'yaml',
]

const ROOT = join(import.meta.dirname, '..')
/** An installation of other versions removes the folder. */
const TARGET = join(ROOT, 'node_modules', '.bundled-libraries')
const HOOK = join(TARGET, 'hook.mjs')

const toFileName = (library: string) => `${library.replaceAll(/\W/g, '-')}.mjs`

/** Makes a module for each library that exports all its names. esbuild cannot list the names of a CommonJS library. */
const entries: Plugin = {
  name: 'entries',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'entry-point' ? { path: `${path}.mjs`, namespace: 'entry', pluginData: path } : undefined,
    )
    onLoad({ filter: /./, namespace: 'entry' }, async ({ pluginData: library }) => {
      const names = Object.keys(await import(library)).filter((name) => /^\w+$/.test(name))
      return { contents: `export { ${names.join(', ')} } from '${library}'`, resolveDir: ROOT }
    })
  },
}

const DIST = pathToFileURL(join(ROOT, 'dist', '/')).href

/** Libraries in node_modules still load their own versions, and `require` the original files. */
async function writeHook(): Promise<string> {
  const libraries = LIBRARIES.map((name) => [name, pathToFileURL(join(TARGET, toFileName(name)))])
  const sources = listProgramStarters().map(({ file }) => [
    pathToFileURL(file),
    replaceProgramUrls(file, readFileSync(file, 'utf8'), `'${DIST}'`),
  ])
  // Another run of tests may read it now.
  await writeAtomically(
    HOOK,
    `import { registerHooks } from 'node:module'
const urls = new Map(${JSON.stringify(libraries)})
const sources = new Map(${JSON.stringify(sources)})
registerHooks({
  resolve(name, context, next) {
    // Node's own way takes a fifth of the time in which a test file is loaded.
    const isOwnFile = name.startsWith('.') && name.endsWith('.ts') && context.parentURL
    if (isOwnFile) return { url: new URL(name, context.parentURL).href, shortCircuit: true }
    const url = context.conditions.includes('import') && !context.parentURL?.includes('/node_modules/') && urls.get(name)
    return url ? { url, format: 'module', shortCircuit: true } : next(name, context)
  },
  load(url, context, next) {
    const source = sources.get(url)
    return source ? { source, format: 'module-typescript', shortCircuit: true } : next(url, context)
  },
})
`,
  )
  return pathToFileURL(HOOK).href
}

/** Returns the module that must be loaded first (`node --import`), so that a process uses the bundles. */
export async function bundleLibraries(): Promise<string> {
  if (existsSync(HOOK)) return writeHook()
  await build({
    entryPoints: Object.fromEntries(LIBRARIES.map((name) => [toFileName(name).replace(/\.mjs$/, ''), name])),
    plugins: [entries],
    outdir: TARGET,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // CommonJS libraries load Node's own modules with `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'\nconst require = requireFrom(import.meta.url)",
    },
    logLevel: 'warning',
  })
  return writeHook()
}
