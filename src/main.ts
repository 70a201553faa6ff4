#!/usr/bin/env node
import { isTooOld, OLDEST_NODE } from './cli/node-runtime.ts'

const { stdin, stdout, stderr } = process

let hasOutputFailed = false

// EPIPE is normal: `menagerie content list | head -3` closes the pipe early. Other errors, such as a full disk, are not.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || hasOutputFailed) return
    hasOutputFailed = true
    process.exitCode = 1
    stderr.write(`menagerie: The output cannot be written (${error.code}).\n`)
  })
}

if (isTooOld(process.versions.node)) {
  stderr.write(
    `menagerie: Node ${process.versions.node} is too old. Install Node ${OLDEST_NODE} or newer, or start ` +
      'scripts/menagerie.mjs, which downloads it.\n',
  )
  process.exitCode = 1
} else {
  // Imported only now, because an older Node cannot parse it.
  const { run } = await import('./cli/run.ts')
  // Not process.exit(), which would cut off output to a pipe.
  const code = await run(process.argv.slice(2), { stdin, stdout, stderr, environment: process.env })
  process.exitCode = hasOutputFailed ? 1 : code
}
