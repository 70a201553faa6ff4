// `npm run docs`: writes the documents and types that are made from lists in the code. Tests check that they are up to date.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '../src/app/service.ts'
import { readConfig } from '../src/config/config.ts'
import type { ApiDocument } from '../src/http/kernel/openapi.ts'
import { CLIENT_API, clientApi } from './client-api.ts'
import { generatedDocs } from './generated-docs.ts'

const ROOT = join(import.meta.dirname, '..')

async function put(path: string, text: string): Promise<void> {
  await writeFile(join(ROOT, path), text)
  console.log(path)
}

/** What the service itself serves, with the settings that it has by itself. */
async function servedDocument(): Promise<ApiDocument> {
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

for (const [path, text] of Object.entries(generatedDocs())) await put(path, text)
await put(CLIENT_API, clientApi(await servedDocument()))
