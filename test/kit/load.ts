import { Agent, get } from 'node:http'
import type { Scope } from './scope.ts'

export interface Load {
  readonly done: number
  /** The reason of each failed request. */
  readonly failed: readonly string[]
  /** Resolves when the running requests have ended. */
  stop(): Promise<void>
}

/** A request that takes longer counts as unanswered. Longer than a restart on a busy machine. */
const REPLY_TIMEOUT_MS = 60_000

/** Starts clients that keep their connections open by default, send one request after the other, and never retry. */
export function startLoad(t: Scope, url: string, { callers = 8, pauseMs = 40, keepAlive = true } = {}): Load {
  const agent = new Agent({ keepAlive, maxSockets: callers })
  const load = { done: 0, failed: [] as string[] }
  let isRunning = true

  const ask = () =>
    new Promise<void>((resolve) => {
      const fail = (reason: string) => {
        load.failed.push(reason)
        resolve()
      }
      const request = get(url, { agent, timeout: REPLY_TIMEOUT_MS }, (response) => {
        response.on('error', (error) => fail(error.message))
        response.on('end', () => {
          if (response.statusCode !== 200) return fail(`status ${response.statusCode}`)
          load.done++
          resolve()
        })
        response.resume()
      })
      request.on('timeout', () => request.destroy(new Error('no reply')))
      request.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message))
    })
  const caller = async () => {
    while (isRunning) {
      await ask()
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  const all = Array.from({ length: callers }, caller)
  const stop = async () => {
    isRunning = false
    await Promise.all(all)
    agent.destroy()
  }
  t.after(stop)
  return Object.assign(load, { stop })
}
