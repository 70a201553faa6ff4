#!/usr/bin/env node
import { isTooOld, OLDEST_NODE } from './cli/oldest-node.ts'
import { widenPool } from './cli/pool.ts'

const { stdin, stdout, stderr } = process

let isUnwritten = false

// Whoever reads the output may have seen enough: `menagerie content list | head -3`. A file that it goes to may have no room.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || isUnwritten) return
    isUnwritten = true
    process.exitCode = 1
    stderr.write(`menagerie: What was found or done cannot be written (${error.code}).\n`)
  })
}

if (isTooOld(process.versions.node)) {
  stderr.write(
    `menagerie: This is Node ${process.versions.node}, and it takes Node ${OLDEST_NODE} or newer: install one, or start ` +
      'scripts/menagerie.mjs, which fetches it.\n',
  )
  process.exitCode = 1
} else {
  widenPool(process.env)
  // Only now: an older Node does not get through what this loads.
  const { run: runWords } = await import('./cli/run.ts')
  // Not process.exit(): what was written to a pipe would be cut short.
  const code = await runWords(process.argv.slice(2), { stdin, stdout, stderr, environment: process.env })
  process.exitCode = isUnwritten ? 1 : code
}
