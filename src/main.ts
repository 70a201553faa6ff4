#!/usr/bin/env node
// An old Node must be able to parse this file, and anything that it imports before it checks the version.

/** The oldest supported version. scripts/menagerie.mjs downloads one if the installed Node is older. */
const OLDEST_NODE = 24

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

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
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
