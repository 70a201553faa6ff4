// Filters one image and prints the priority of every thread.
import { readdirSync, readFileSync } from 'node:fs'
import sharp from 'sharp'
import { createEngine } from '../../../../src/features/images/index.ts'

const log = { info() {}, warn() {}, error() {} }
const engine = createEngine({
  threads: 1,
  maxPixels: 1e6,
  maxFrames: 1,
  decodeTimeoutMs: 10_000,
  maxQueued: 1,
  log,
})
const bytes = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'teal' } })
  .jpeg()
  .toBuffer()
await engine.process({ bytes, filter: 'invert', strength: undefined, output: undefined })

const threads = readdirSync('/proc/self/task').map((thread) => {
  const [, name, rest = ''] = /\((.*)\) (.*)/.exec(readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')) ?? []
  return { name, nice: Number(rest.split(' ')[16]) }
})
console.log(JSON.stringify(threads))
await engine.close()
