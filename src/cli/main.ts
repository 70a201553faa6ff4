#!/usr/bin/env node
import { isTooOld, OLDEST_NODE } from './oldest-node.ts'
import { widenPool } from './pool.ts'

const { stdin, stdout, stderr } = process

// Whoever reads the output may have seen enough: `menagerie content list | head -3`.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
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
  const { runWords } = await import('./run.ts')
  // Not process.exit(): what was written to a pipe would be cut short.
  process.exitCode = await runWords(process.argv.slice(2), { stdin, stdout, stderr, environment: process.env })
}
