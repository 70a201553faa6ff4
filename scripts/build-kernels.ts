// The pixel work of src/features/filters, as one WebAssembly module with SIMD: build/kernels.wasm.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

export function buildKernels(root: string): void {
  const compiler = join(root, 'node_modules', 'assemblyscript', 'bin', 'asc.js')
  // Without a runtime and its checks: the kernels allocate nothing, the caller lays out the memory.
  const flags = ['-O3', '--noAssert', '--runtime', 'stub', '--use', 'abort=', '--enable', 'simd']
  const files = ['src/features/filters/kernels/index.ts', '--outFile', 'build/kernels.wasm']
  const { status } = spawnSync(process.execPath, [compiler, ...files, ...flags], { cwd: root, stdio: 'inherit' })
  if (status !== 0)
    throw new Error('The kernels in src/features/filters/kernels do not compile; the lines above say why.')
}
