// Bundles the program into a few JavaScript files in dist/. Loading 600 source files and libraries took two thirds of the
// start time, and Node does not strip types below node_modules, where an installed package is.
import { globSync, readFileSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { extractLicenseComments, formatNotices, formatSbom, listPackageFolders, readPackages } from './third-party.ts'

const root = join(import.meta.dirname, '..')
const sources = join(root, 'src')
const target = join(root, 'dist')

/** `platform/store/x.ts` becomes `platform-store-x`, because all bundles are in one folder. */
const toBundleName = (file: string) => relative(sources, file).replace(/\.ts$/, '').split(sep).join('-')

/** How the source refers to the program of a thread or process. */
const PROGRAM_URL = /new URL\('(\.\/[\w-]+\.ts)', import\.meta\.url\)/g

/** Rewrites the path of such a program to the name of its bundle. */
const programUrls: Plugin = {
  name: 'program-urls',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, async ({ path }) => ({
      loader: 'ts',
      contents: (await readFile(path, 'utf8')).replace(
        PROGRAM_URL,
        (_, file) => `new URL('./${toBundleName(join(dirname(path), file))}.js', import.meta.url)`,
      ),
    }))
  },
}

const programs = globSync(join(sources, '**/*.ts')).flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(PROGRAM_URL)].map(([, program = '']) => join(dirname(file), program)),
)

const { metafile } = await build({
  entryPoints: Object.fromEntries([join(sources, 'main.ts'), ...programs].map((file) => [toBundleName(file), file])),
  plugins: [programUrls],
  outdir: target,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // Contains native code, which cannot be bundled.
  external: ['sharp'],
  // CommonJS libraries load Node's own modules with `require`.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'\nconst require = requireFrom(import.meta.url)",
  },
  metafile: true,
  logLevel: 'warning',
})

// build.ts, which runs first, lists the packages in the pages and the kernels.
const others: string[] = JSON.parse(await readFile(join(root, 'build', 'bundled-packages.json'), 'utf8'))
const packages = readPackages(root, [...listPackageFolders(metafile), ...others])
const scalarComments = extractLicenseComments(await readFile(join(root, 'build', 'site', 'scalar.js'), 'utf8'))
const documents = {
  'THIRD-PARTY-NOTICES': formatNotices(packages, scalarComments),
  'sbom.json': formatSbom(root, packages),
}
for (const [name, text] of Object.entries(documents)) await writeFile(join(target, name), text)

// Removed last, because a running service may start a thread from an old file at any moment.
const current = new Set([...Object.keys(metafile.outputs).map((file) => basename(file)), ...Object.keys(documents)])
for (const file of await readdir(target)) if (!current.has(file)) await rm(join(target, file))
