// Bundles the libraries that most test files load. Finding and reading their 900 files took a third of a second of CPU
// time in each test process.
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

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

/** Libraries in node_modules still load their own versions, and `require` the original files. */
const writeHook = () =>
  writeFile(
    HOOK,
    `import { registerHooks } from 'node:module'
const urls = new Map(${JSON.stringify(LIBRARIES.map((name) => [name, pathToFileURL(join(TARGET, toFileName(name)))]))})
registerHooks({
  resolve(name, context, next) {
    const url = context.conditions.includes('import') && !context.parentURL?.includes('/node_modules/') && urls.get(name)
    return url ? { url, format: 'module', shortCircuit: true } : next(name, context)
  },
})
`,
  )

/** Returns the module that must be loaded first (`node --import`), so that a process uses the bundles. */
export async function bundleLibraries(): Promise<string> {
  if (existsSync(HOOK)) return pathToFileURL(HOOK).href
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
  await writeHook()
  return pathToFileURL(HOOK).href
}
