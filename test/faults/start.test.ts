// A start that fails after the services are open.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../kit/folder.ts'
import { ROOT } from '../kit/root.ts'

const SOURCES = join(ROOT, 'src')

/** The settings reject this value; here it represents any failure after the services are open. */
const program = (dataDir: string) => `
  const { startService } = await import(${JSON.stringify(join(SOURCES, 'app', 'start-service.ts'))})
  const { readConfig } = await import(${JSON.stringify(join(SOURCES, 'config', 'config.ts'))})
  const config = readConfig({ PORT: '0', DATA_DIR: ${JSON.stringify(dataDir)} })
  const broken = { ...config, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://[' }
  await startService(broken).catch(({ message }) => console.log(message))
`

test('a failed start leaves nothing open that keeps the process alive', async (t) => {
  const dataDir = await temporaryFolder(t)
  const file = join(dataDir, 'start.mjs')
  await writeFile(file, program(dataDir))
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [file], { timeout: 30_000, encoding: 'utf8' })
  assert.match(stdout, /Could not parse/)
  assert.deepEqual([status, signal], [0, null], stderr)
})
