// Makes what is not kept in the repository: everything below build/. Runs when one of its inputs is newer.
import { join } from 'node:path'
import { buildKernels } from './build-kernels.ts'
import { buildSite } from './build-site.ts'

const root = join(import.meta.dirname, '..')

buildKernels(root)
await buildSite(root)
