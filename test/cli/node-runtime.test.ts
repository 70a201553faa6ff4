import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { OLDEST_NODE } from '../../src/cli/node-runtime.ts'
import { runProgram } from '../kit/program.ts'
import { ROOT } from '../kit/root.ts'

/** The sources: in the bundle the name of run.ts is not visible. */
const MAIN = join(ROOT, 'src', 'main.ts')

test('an old Node gets a message before anything is loaded that it cannot parse', async () => {
  const oldVersion = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } })'
  const reportLoad =
    'import { registerHooks } from "node:module"; registerHooks({ load: (url, context, next) => {' +
    'if (/run\\.ts$/.test(url)) console.log("loaded"); return next(url, context) } })'
  const preload = `data:text/javascript,${encodeURIComponent(`${reportLoad}\n${oldVersion}`)}`
  const { status, output } = await runProgram(process.execPath, ['--import', preload, MAIN, '--version'], { cwd: ROOT })
  assert.equal(status, 1)
  assert.match(output, /^menagerie: Node 20\.1\.0 is too old\. Install Node 24 or newer, [^\n]*\n$/)
})

test('the start script requires the same version of Node', () => {
  const script = readFileSync(join(ROOT, 'scripts/menagerie.mjs'), 'utf8')
  assert.ok(script.includes(`const OLDEST_NODE = ${OLDEST_NODE}\n`))
})
