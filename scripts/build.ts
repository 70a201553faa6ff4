// Builds everything below build/: the filter kernels and the files of the pages. The start script runs it when one of
// its inputs is newer.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSite } from './build-site.ts'

const ROOT = join(import.meta.dirname, '..')

/** Compiles the pixel kernels of src/features/filters to one WebAssembly module with SIMD: build/kernels.wasm. */
function buildKernels(): void {
  const compiler = join(ROOT, 'node_modules', 'assemblyscript', 'bin', 'asc.js')
  // No runtime and no runtime checks: the kernels allocate nothing, and the caller manages the memory.
  const flags = ['-O3', '--noAssert', '--runtime', 'stub', '--use', 'abort=', '--enable', 'simd']
  const files = ['src/features/filters/kernels/index.ts', '--outFile', 'build/kernels.wasm']
  const { status } = spawnSync(process.execPath, [compiler, ...files, ...flags], { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) throw new Error('src/features/filters/kernels does not compile; see the messages above.')
}

buildKernels()
const packageFolders = [...(await buildSite(ROOT)), 'node_modules/assemblyscript']
// build-service.ts writes the notices for both builds.
writeFileSync(join(ROOT, 'build', 'bundled-packages.json'), JSON.stringify(packageFolders))
