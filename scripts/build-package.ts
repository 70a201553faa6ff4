// Builds dist/ of a package below packages/, which npm publishes. `npm pack` in the package runs this script.
import { spawnSync } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { listPackageFolders } from './third-party.ts'

const ROOT = join(import.meta.dirname, '..')

type PackageName = 'client' | 'artist'
const ENTRIES = { client: ['index', 'element'], artist: ['index'] }

interface BundleOptions {
  readonly minify: boolean
  readonly format?: 'esm' | 'cjs'
  /** Default: `index` */
  readonly entry?: string
}

/** Bundles an entry of a package as one JavaScript file, so that a web page can import it without a bundler. */
export async function bundlePackage(name: PackageName, options: BundleOptions): Promise<Uint8Array> {
  const { minify, format = 'esm', entry = 'index' } = options
  const { outputFiles, metafile } = await build({
    entryPoints: [join(ROOT, 'packages', name, 'src', `${entry}.ts`)],
    bundle: true,
    format,
    define: { 'import.meta.url': format === 'cjs' ? 'undefined' : 'import.meta.url' },
    target: 'es2022',
    minify,
    write: false,
    metafile: true,
    logLevel: 'warning',
  })
  const [other] = listPackageFolders(metafile)
  if (other) throw new Error(`@menagerie/${name} must contain only our own code, but bundles ${other}.`)
  return outputFiles[0]!.contents
}

/** The relative imports of a declaration, which tsc leaves with the extension .ts. */
const IMPORT = /((?:from |import\()["'])(\.[^"']+)\.ts(?=["'])/g

/** Writes the declaration of each source file that the API uses, for each extension of JavaScript files. */
async function writeDeclarations(name: PackageName, dist: string, extensions: readonly string[]): Promise<void> {
  const all = join(dist, 'declarations')
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
  const { status } = spawnSync(tsc, ['-p', `packages/${name}`, '--outDir', all], { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) throw new Error(`The declarations of ${name} cannot be built; see the messages above.`)
  // Imports that are found while this runs are visited, too.
  const files = new Set<string>(ENTRIES[name])
  for (const file of files) {
    const text = await readFile(join(all, `${file}.d.ts`), 'utf8')
    for (const [, , path] of text.matchAll(IMPORT)) files.add(join(dirname(file), path!))
    for (const extension of extensions) {
      const target = join(dist, `${file}.d.${extension.replace('js', 'ts')}`)
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, text.replace(IMPORT, `$1$2.${extension}`))
    }
  }
  await rm(all, { recursive: true })
}

async function buildPackage(name: PackageName): Promise<void> {
  const folder = join(ROOT, 'packages', name)
  const dist = join(folder, 'dist')
  await rm(dist, { recursive: true, force: true })
  await mkdir(dist, { recursive: true })
  // Most of the artist is outlines and colours, which nobody reads in a debugger; the client stays readable.
  const minify = name === 'artist'
  for (const entry of ENTRIES[name]) {
    await writeFile(join(dist, `${entry}.js`), await bundlePackage(name, { minify, entry }))
    await writeFile(join(dist, `${entry}.cjs`), await bundlePackage(name, { minify, entry, format: 'cjs' }))
  }
  await writeDeclarations(name, dist, ['js', 'cjs'])
}

// Tests and build-site.ts import only `bundlePackage`.
if (process.argv[1] === import.meta.filename) await buildPackage(process.argv[2] as PackageName)
