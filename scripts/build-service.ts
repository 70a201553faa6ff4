// The whole program in a few files of JavaScript: dist/. Loading 600 files of sources and libraries took two thirds of a
// start, and Node does not strip types below node_modules, where an installed package lies.
import { globSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { build, type Plugin } from 'esbuild'

const root = join(import.meta.dirname, '..')
const sources = join(root, 'src')
const target = join(root, 'dist')

/** `features/images/worker.ts` becomes `features-images-worker`: all bundles lie in one folder. */
const programName = (file: string) => relative(sources, file).replace(/\.ts$/, '').split(sep).join('-')

/** A thread is started from a file beside its starter; in the bundle that file has another name. */
const threads: Plugin = {
  name: 'threads',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, async ({ path }) => ({
      loader: 'ts',
      contents: (await readFile(path, 'utf8')).replace(
        /new URL\('(\.\/[\w-]+\.ts)', import\.meta\.url\)/g,
        (_, file) => `new URL('./${programName(join(dirname(path), file))}.js', import.meta.url)`,
      ),
    }))
  },
}

const threadPrograms = globSync('**/worker.ts', { cwd: sources }).map((file) => join(sources, file))

const { metafile } = await build({
  entryPoints: Object.fromEntries(
    [join(sources, 'main.ts'), ...threadPrograms].map((file) => [programName(file), file]),
  ),
  plugins: [threads],
  outdir: target,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // Holds machine code.
  external: ['sharp'],
  // Libraries of the older module system ask for Node's own modules by `require`.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'\nconst require = requireFrom(import.meta.url)",
  },
  metafile: true,
  logLevel: 'warning',
})

// Only now: a service that runs from here may start a thread at any moment.
const made = new Set(Object.keys(metafile.outputs).map((file) => basename(file)))
for (const file of await readdir(target)) if (!made.has(file)) await rm(join(target, file))
