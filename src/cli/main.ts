#!/usr/bin/env node
import { widenPool } from './pool.ts'
import { runWords } from './run.ts'

const { stdin, stdout, stderr } = process

// Whoever reads the output may have seen enough: `menagerie content list | head -3`.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

widenPool(process.env)

// Not process.exit(): what was written to a pipe would be cut short.
process.exitCode = await runWords(process.argv.slice(2), { stdin, stdout, stderr, environment: process.env })
