import { spawnSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

const ROOT = join(import.meta.dirname, '..')
const ENTRY = join(ROOT, 'packages', 'client', 'src', 'index.ts')

/** One file of JavaScript, so that a page can import it without a bundler. */
export async function bundleClient(options: { readonly minify: boolean }): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    logLevel: 'warning',
    ...options,
  })
  return outputFiles[0]!.contents
}

/** The types, a file each. */
export async function declareClient(dist: string): Promise<void> {
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
  const { status } = spawnSync(tsc, ['-p', 'packages/client', '--outDir', dist], { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) throw new Error('The types of the client cannot be made; the lines above say why.')
  for (const name of (await readdir(dist)).filter((name) => name.endsWith('.d.ts'))) {
    const text = await readFile(join(dist, name), 'utf8')
    // The compiler leaves the names of the sources; every TypeScript finds the types by those of the JavaScript.
    await writeFile(join(dist, name), text.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
  }
}
