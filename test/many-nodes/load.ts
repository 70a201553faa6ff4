import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceNode } from '../kit/service-process.ts'

/** Leaves the processor to the nodes. */
const PAUSE_MS = 25

export interface Outcome {
  requests: number
  /** Requests without a reply, or with a 5xx reply. */
  failed: string[]
  slowestMs: number
  /** Downloads whose redirect arrived. */
  acknowledged: number
}

export interface Load {
  readonly outcome: Outcome
  stop(): Promise<Outcome>
}

/** Requests these paths from the nodes, one after the other, until it is stopped. */
export function startLoad(nodes: readonly ServiceNode[], paths: () => readonly string[]): Load {
  const outcome: Outcome = { requests: 0, failed: [], slowestMs: 0, acknowledged: 0 }
  let isStopped = false
  const sendRequest = async (node: ServiceNode, path: string) => {
    const startedAt = performance.now()
    const status = await node.fetch(path).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => 0,
    )
    outcome.requests++
    outcome.slowestMs = Math.max(outcome.slowestMs, performance.now() - startedAt)
    if (status === 0 || status >= 500) outcome.failed.push(`${status} ${path}`)
    if (path.includes('/download/') && status === 302) outcome.acknowledged++
  }
  const work = async (node: ServiceNode) => {
    while (!isStopped) {
      for (const path of paths()) {
        if (isStopped) return
        await sendRequest(node, path)
        await sleep(PAUSE_MS)
      }
    }
  }
  const workers = nodes.flatMap((node) => [work(node), work(node)])
  return {
    outcome,
    async stop() {
      isStopped = true
      await Promise.all(workers)
      return outcome
    },
  }
}
