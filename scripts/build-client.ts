// Builds packages/client/dist/, which npm publishes. `npm pack` in packages/client runs this script.
import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

const ROOT = join(import.meta.dirname, '..')
const CLIENT = join(ROOT, 'packages', 'client')

/** Bundles a package as one JavaScript file, so that a web page can import it without a bundler. */
export async function bundlePackage(
  name: 'client' | 'artist',
  options: { readonly minify: boolean },
): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'packages', name, 'src', 'index.ts')],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    logLevel: 'warning',
    ...options,
  })
  return outputFiles[0]!.contents
}

/** Writes one declaration file per source file. */
async function writeDeclarations(dist: string): Promise<void> {
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
  const { status } = spawnSync(tsc, ['-p', 'packages/client', '--outDir', dist], { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) throw new Error('The declarations of the client cannot be built; see the messages above.')
  for (const name of (await readdir(dist)).filter((name) => name.endsWith('.d.ts'))) {
    const text = await readFile(join(dist, name), 'utf8')
    // tsc leaves the .ts extension in imports, which older versions of TypeScript cannot resolve in declarations.
    await writeFile(join(dist, name), text.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
  }
}

// Tests and build-site.ts import only `bundlePackage`.
if (process.argv[1] === import.meta.filename) {
  const dist = join(CLIENT, 'dist')
  await rm(dist, { recursive: true, force: true })
  await mkdir(dist, { recursive: true })
  await writeFile(join(dist, 'index.js'), await bundlePackage('client', { minify: false }))
  await writeDeclarations(dist)
}
