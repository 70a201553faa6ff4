// Bundles the program into a few JavaScript files in dist/. Loading 600 source files and libraries took two thirds of the
// start time, and Node does not strip types below node_modules, where an installed package is.
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { listProgramStarters, replaceProgramUrls, SOURCES, toBundleName } from './programs.ts'
import { removeOldFiles } from './remove-old-files.ts'
import { extractLicenseComments, formatNotices, formatSbom, listPackageFolders, readPackages } from './third-party.ts'

const root = join(import.meta.dirname, '..')
const target = join(root, 'dist')

const programUrls: Plugin = {
  name: 'program-urls',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, async ({ path }) => ({
      loader: 'ts',
      contents: replaceProgramUrls(path, await readFile(path, 'utf8')),
    }))
  },
}

// `import` reads all exports of a module, also those that Node loads when they are first read. One of node:http loads a
// whole HTTP client: 65 ms of CPU time and 15 MB of memory per process.
const lazyModules: Plugin = {
  name: 'lazy-modules',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:(?:http|process)$/ }, ({ path }) => ({ path, namespace: 'lazy' }))
    onLoad({ filter: /^/, namespace: 'lazy' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}')`,
    }))
  },
}

const programs = listProgramStarters().flatMap(({ programs }) => programs)

const { metafile } = await build({
  entryPoints: Object.fromEntries([join(SOURCES, 'main.ts'), ...programs].map((file) => [toBundleName(file), file])),
  plugins: [programUrls, lazyModules],
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

const current = [...Object.keys(metafile.outputs).map((file) => basename(file)), ...Object.keys(documents)]
await removeOldFiles(target, current, join(root, 'build', 'service-files.json'))
