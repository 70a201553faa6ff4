// What npm publishes of the client: packages/client/dist/. `npm pack` in packages/client runs it.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleClient, declareClient } from './build-client.ts'

const dist = join(import.meta.dirname, '..', 'packages', 'client', 'dist')

await rm(dist, { recursive: true, force: true })
await mkdir(dist, { recursive: true })
await writeFile(join(dist, 'index.js'), await bundleClient({ minify: false }))
await declareClient(dist)
