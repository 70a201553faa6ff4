// Runs the attacks at the default limits and prints what each of them costs:
// `node test/features/images/attacks/measure.ts` for all, `… measure.ts tiff strips` for those that match.
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { listProcesses, readCpuMs } from '../../../../bench/process-usage.ts'
import type { ApiError } from '../../../../src/errors/index.ts'
import { blackPng } from '../../../kit/broken-pictures.ts'
import { job, startEngine } from '../engine-kit.ts'
import { attacksByFormat } from './index.ts'

/** 36 megapixels. */
const SIDE = 6000
const POLL_INTERVAL_MS = 10

const [format = '', text = ''] = process.argv.slice(2)
const engine = startEngine({ after() {} }, { processes: 1 })
const listDecoders = () => listProcesses(process.pid).slice(1)

function readPeakMegabytes(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

async function runAttack(bytes: Buffer): Promise<string> {
  const { width, height, frameCount } = await engine.process(job(bytes))
  return `200 ${width}x${height}, ${frameCount} frames`
}

console.log('seconds     CPU    peak  reply')
for (const [name, attacks] of Object.entries(attacksByFormat)) {
  for (const attack of attacks) {
    if (!name.includes(format) || !attack.name.includes(text)) continue
    const bytes = await attack.build(SIDE)
    // Starts a process if none is ready, then resets its peak memory.
    await engine.process(job(blackPng(8, 8)))
    for (const pid of listDecoders()) writeFileSync(`/proc/${pid}/clear_refs`, '5')
    const decoder = listDecoders()[0]!
    let [peak, cpuMs] = [0, 0]
    const [startedAt, cpuMsBefore] = [performance.now(), readCpuMs(decoder)]
    const poll = () => {
      peak = Math.max(peak, readPeakMegabytes(decoder))
      cpuMs = Math.max(cpuMs, readCpuMs(decoder) - cpuMsBefore)
    }
    const polling = setInterval(poll, POLL_INTERVAL_MS)
    const reply = await runAttack(bytes).catch(({ status, message }: ApiError) => `${status} ${message}`)
    poll()
    clearInterval(polling)
    const seconds = [performance.now() - startedAt, cpuMs].map((ms) => (ms / 1000).toFixed(2).padStart(7))
    console.log(...seconds, peak.toFixed(0).padStart(4), 'MB', `${name}: ${attack.name}: ${reply}`)
  }
}
await engine.close()
