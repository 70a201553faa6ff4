import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { OLDEST_NODE } from '../../src/cli/oldest-node.ts'
import { runProgram } from '../kit/program.ts'
import { PROGRAM, ROOT } from '../kit/root.ts'

test('an old Node is told which one it takes, before anything that it cannot read is loaded', async () => {
  const old = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } })'
  const loads =
    'import { registerHooks } from "node:module"; registerHooks({ load: (url, context, next) => {' +
    'if (/run\\.ts$/.test(url)) console.log("loaded"); return next(url, context) } })'
  const preload = `data:text/javascript,${encodeURIComponent(`${loads}\n${old}`)}`
  const { status, output } = await runProgram(process.execPath, ['--import', preload, PROGRAM, '--version'], {
    cwd: ROOT,
  })
  assert.equal(status, 1)
  assert.match(output, /^menagerie: This is Node 20\.1\.0, and it takes Node 24 or newer: [^\n]*\n$/)
})

test('the start script fetches a Node for the same version', () => {
  const script = readFileSync(join(ROOT, 'scripts/menagerie.mjs'), 'utf8')
  assert.ok(script.includes(`const OLDEST_NODE = ${OLDEST_NODE}\n`))
})
