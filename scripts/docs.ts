// `npm run docs` writes the documents and types that are generated from the code. Tests check that they are up to date.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '../src/app/start-service.ts'
import { readConfig } from '../src/config/config.ts'
import type { ApiDocument } from '../src/http/kernel/openapi.ts'
import { buildClientApi, CLIENT_API } from './client-api.ts'
import { buildDocuments } from './generated-docs.ts'

const ROOT = join(import.meta.dirname, '..')

async function writeDocument(path: string, text: string): Promise<void> {
  await writeFile(join(ROOT, path), text)
  console.log(path)
}

/** The OpenAPI document of a service with default settings. */
async function fetchApiDocument(): Promise<ApiDocument> {
  const dataDir = await mkdtemp(join(tmpdir(), 'menagerie-docs-'))
  const settings = { PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: dataDir, CONTENT_DIR: join(ROOT, 'content') }
  const service = await startService(readConfig(settings))
  try {
    const reply = await fetch(`${service.url}/openapi.json`)
    return (await reply.json()) as ApiDocument
  } finally {
    await service.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

for (const [path, text] of Object.entries(buildDocuments())) await writeDocument(path, text)
await writeDocument(CLIENT_API, buildClientApi(await fetchApiDocument()))
