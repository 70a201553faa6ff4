// Keeps the content of this node up to date in a thread: comparing and writing many files takes seconds.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { withTimeout } from '../../../platform/concurrency/index.ts'
import type { Log } from '../../../platform/logging/index.ts'
import { describeEdits } from './commit.ts'
import { namePublicly } from './folder.ts'
import type { NodeSyncOptions } from './sync.ts'

const CLOSE_TIMEOUT_MS = 3000
const RESTART_DELAY_MS = 1000
const STOPPED = 'the thread that updates the content stopped'

export interface SyncStatus {
  /** The number of the last change that this node has. Undefined: it has not joined yet. */
  readonly sequence: number | undefined
  readonly problem: string | undefined
  /** Within the last hour: Redis lost data, or files of this node were replaced. */
  readonly incident?: string | undefined
  /** Files that were edited in the folder of this node. */
  readonly edited: readonly string[]
}

export interface SyncMessage {
  readonly status?: SyncStatus
  readonly log?: { readonly level: 'info' | 'warn'; readonly fields: object; readonly text: string }
  readonly isReady?: true
}

/** Resolves when changes that a killed process left are recovered. */
export async function openContentSync(options: NodeSyncOptions, log: Log, onChange: () => void = () => {}) {
  let status: SyncStatus = { sequence: undefined, problem: undefined, edited: [] }
  let isClosed = false
  let thread: Worker
  let timer: NodeJS.Timeout | undefined
  const ready = Promise.withResolvers<void>()

  const handle = (message: SyncMessage) => {
    if (message.log) log[message.log.level](message.log.fields, message.log.text)
    if (message.isReady) ready.resolve()
    if (!message.status) return
    const isChanged = message.status.sequence !== status.sequence
    if (message.status.problem && message.status.problem !== status.problem)
      log.warn({ problem: message.status.problem }, 'the content of this node cannot be updated')
    const { incident } = message.status
    if (incident && incident !== status.incident) log.warn({}, incident)
    status = message.status
    if (isChanged) onChange()
  }

  const start = () => {
    thread = new Worker(new URL('./sync-thread.ts', import.meta.url), { workerData: options })
    thread.unref()
    thread.on('message', handle)
    thread.on('error', (error) => {
      // It may stop at each start.
      if (status.problem !== STOPPED) log.error({ err: error }, STOPPED)
      status = { ...status, problem: STOPPED }
    })
    thread.on('exit', () => {
      ready.resolve()
      if (!isClosed) timer = setTimeout(start, RESTART_DELAY_MS).unref()
    })
  }
  start()
  await ready.promise

  return {
    status: () => status,
    problems: (): string[] => [
      ...(status.problem ? [status.problem] : []),
      ...(status.incident ? [status.incident] : []),
      ...(status.edited.length > 0 ? [describeEdits(status.edited.map(namePublicly))] : []),
    ],
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      const exited = once(thread, 'exit')
      thread.postMessage('close')
      await withTimeout(CLOSE_TIMEOUT_MS, exited, () => undefined)
      await thread.terminate()
    },
  }
}
