import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type SupervisorOptions, supervise } from '../../../src/platform/workers/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { freePort } from '../../kit/redis.ts'
import type { Scope } from '../../kit/scope.ts'
import { until } from '../../kit/until.ts'

export interface WorkerReply {
  pid: number
  number: number
  workerCount: number
  isLeader: boolean
  startedAt: string
  values?: unknown[]
  counters?: number[]
  problem?: string
}

export const DIED = 'a worker died and will be replaced'

/** Runs a supervisor in this process, with three workers that run `test-worker.ts`. */
export async function startSupervisor(
  t: Scope,
  options: Partial<SupervisorOptions> = {},
  { waitsUntilReady = true } = {},
) {
  /** While this file exists, new workers exit at their start. */
  const refusalFile = join(await temporaryFolder(t), 'refuse')
  const log = createTestLog()
  const printed: string[] = []
  const logFile = { written: '', problem: undefined as string | undefined }
  const supervisor = supervise({
    program: { file: join(import.meta.dirname, 'test-worker.ts'), args: [refusalFile] },
    workerCount: 3,
    host: '127.0.0.1',
    port: await freePort(),
    log,
    logFile: {
      write: (lines) => {
        logFile.written += lines
      },
      problem: () => logFile.problem,
    },
    print: (text) => printed.push(text),
    addCounters: (counters) => counters.reduce((sum: number, count) => sum + Number(count), 0),
    lingerMs: 0,
    ...options,
  })
  t.after(() => supervisor.shutdown({ graceMs: 0, lingerMs: 0 }))
  if (waitsUntilReady) await supervisor.ready
  const ask = async (path = '/'): Promise<WorkerReply> => {
    const response = await fetch((await supervisor.ready) + path, { headers: { connection: 'close' } })
    return (await response.json()) as WorkerReply
  }
  /** Connections are assigned round robin: three in a row reach all three workers. */
  const askEach = async (path = '/') =>
    [await ask(path), await ask(path), await ask(path)].sort((a, b) => a.number - b.number)
  const pids = async () => (await askEach()).map(({ pid }) => pid)
  /** Waits until three workers serve, after one or more have ended. */
  const waitForAll = () => until(async () => new Set(await pids().catch(() => [])).size === 3)
  const countDeaths = () => log.lines.filter(({ message }) => message === DIED).length
  let deaths = 0
  /** Waits until the supervisor notices the next death. Until then it may pass connections to the dead worker. */
  const waitForDeath = async () => {
    await until(() => countDeaths() > deaths)
    deaths = countDeaths()
  }
  return {
    supervisor,
    ask,
    askEach,
    pids,
    waitForAll,
    waitForDeath,
    log,
    printed,
    logFile,
    refuseStarts: () => writeFile(refusalFile, ''),
    allowStarts: () => rm(refusalFile),
  }
}
