import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type SupervisorOptions, supervise } from '../../../src/platform/workers/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { rememberingLog } from '../../kit/log.ts'
import { freePort } from '../../kit/redis.ts'

export interface Shown {
  pid: number
  number: number
  workers: number
  isLead: boolean
  startedAt: string
  asked?: unknown[]
  total?: number[]
  problem?: string
}

/** A supervisor in this process, with tiny workers. */
export async function start(t: TestContext, options: Partial<SupervisorOptions> = {}, { opens = true } = {}) {
  /** While it is there, new workers end at their start. */
  const refusal = join(await temporaryFolder(t), 'refuse')
  const log = rememberingLog()
  const told: string[] = []
  const file = { written: '', trouble: undefined as string | undefined }
  const supervisor = supervise({
    program: { file: join(import.meta.dirname, 'tiny-worker.ts'), words: [refusal] },
    workers: 3,
    host: '127.0.0.1',
    port: await freePort(),
    log,
    lines: {
      write: (lines) => {
        file.written += lines
      },
      problem: () => file.trouble,
      flush() {},
      close: async () => {},
    },
    tell: (text) => told.push(text),
    sum: (counts) => counts.reduce((sum: number, count) => sum + Number(count), 0),
    lingerMs: 0,
    ...options,
  })
  t.after(() => supervisor.stop(0))
  if (opens) await supervisor.opened
  const ask = async (path = '/'): Promise<Shown> => {
    const response = await fetch((await supervisor.opened) + path, { headers: { connection: 'close' } })
    return (await response.json()) as Shown
  }
  /** Connections are dealt in turns: three in a row reach all three. */
  const askEach = async (path = '/') =>
    [await ask(path), await ask(path), await ask(path)].sort((a, b) => a.number - b.number)
  return { supervisor, ask, askEach, log, told, file, refuse: () => writeFile(refusal, ''), allow: () => rm(refusal) }
}
