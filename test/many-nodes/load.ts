import type { ServiceNode } from '../kit/nodes.ts'

export interface Outcome {
  asked: number
  /** Those that were not answered, or with 5xx. */
  failed: string[]
  slowestMs: number
  /** Downloads whose redirect arrived. */
  acknowledged: number
}

export interface Load {
  readonly outcome: Outcome
  stop(): Promise<Outcome>
}

/** Asks the nodes for these paths, one after the other, until it is stopped. */
export function startLoad(nodes: readonly ServiceNode[], paths: () => readonly string[]): Load {
  const outcome: Outcome = { asked: 0, failed: [], slowestMs: 0, acknowledged: 0 }
  let stopped = false
  const ask = async (node: ServiceNode, path: string) => {
    const begun = performance.now()
    const status = await node.fetch(path).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => 0,
    )
    outcome.asked++
    outcome.slowestMs = Math.max(outcome.slowestMs, performance.now() - begun)
    if (status === 0 || status >= 500) outcome.failed.push(`${status} ${path}`)
    if (path.includes('/download/') && status === 302) outcome.acknowledged++
  }
  const work = async (node: ServiceNode) => {
    while (!stopped) for (const path of paths()) if (!stopped) await ask(node, path)
  }
  const workers = nodes.flatMap((node) => [work(node), work(node)])
  return {
    outcome,
    async stop() {
      stopped = true
      await Promise.all(workers)
      return outcome
    },
  }
}
