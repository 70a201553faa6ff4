import { one } from '../../shared/client/dom.ts'
import type { Choice } from '../choice.ts'
import {
  type Answer,
  type FilteredFile,
  type Task,
  type TaskFailure,
  type Thumbnail,
  WORKER_POLICY,
} from '../worker-tasks.ts'

/** The part of Trusted Types that is used here. Not every browser has them. */
declare const trustedTypes:
  | {
      createPolicy(
        name: string,
        rules: { createScriptURL: (url: string) => string },
      ): { createScriptURL(url: string): string }
    }
  | undefined

/** The browser refuses any other script as a worker, whatever the page contains. */
function createScriptUrl(url: string): string {
  const { origin, pathname } = new URL(url, location.href)
  const expected = new URL('site/playground-worker.js', location.href)
  if (origin !== expected.origin || pathname !== expected.pathname) throw new TypeError('not the script of the worker')
  return url
}

interface Pending {
  resolve(answer: Answer): void
  reject(error: Error): void
}

type Unsent<T> = T extends Task ? Omit<T, 'id' | 'key'> : never

/** Runs tasks in the worker of the page, one after the other. */
export function createWorkerClient() {
  const url = one('[data-worker]').dataset.worker ?? ''
  const pending = new Map<number, Pending>()
  const keys = new WeakMap<Blob, number>()
  let lastId = 0
  let lastKey = 0

  function start(): Worker {
    const rules = { createScriptURL: createScriptUrl }
    const policy = typeof trustedTypes === 'undefined' ? rules : trustedTypes.createPolicy(WORKER_POLICY, rules)
    const worker = new Worker(policy.createScriptURL(url))
    worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
      pending.get(data.id)?.resolve(data)
      pending.delete(data.id)
    })
    worker.addEventListener('error', () => {
      for (const { reject } of pending.values()) reject(new Error('Filters do not work in this browser.'))
      pending.clear()
    })
    return worker
  }
  const worker = start()

  function run(task: Unsent<Task>): Promise<Answer> {
    const id = ++lastId
    const key = keys.get(task.blob) ?? ++lastKey
    keys.set(task.blob, key)
    return new Promise((resolve, reject) => {
      pending.set(id, { resolve, reject })
      worker.postMessage({ ...task, id, key })
    })
  }

  return {
    async filter(blob: Blob, { steps, options }: Choice): Promise<FilteredFile | TaskFailure> {
      const answer = await run({ blob, steps, options })
      if ('file' in answer) return answer.file
      return 'failure' in answer ? answer.failure : { message: 'Unexpected answer of the worker.' }
    },
    /** Empty if the browser cannot decode the image. */
    async drawThumbnails(blob: Blob): Promise<readonly Thumbnail[]> {
      const answer = await run({ blob })
      return 'thumbnails' in answer ? answer.thumbnails : []
    },
  }
}

export type WorkerClient = ReturnType<typeof createWorkerClient>
