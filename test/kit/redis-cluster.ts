import { temporaryFolder } from './folder.ts'
import { freePort, startRedis, type TestRedis } from './redis.ts'
import type { Scope } from './scope.ts'
import { until } from './until.ts'

const SLOTS = 16_384

export interface TestCluster {
  readonly url: string
  readonly nodes: readonly TestRedis[]
}

/** A real cluster of three masters on free ports; each may have a replica. */
export async function startCluster(t: Scope, { replicas = false } = {}): Promise<TestCluster> {
  const folder = await temporaryFolder(t)
  const start = async () => {
    const name = await freePort()
    const busPort = await freePort()
    return startRedis(
      t,
      ...['--cluster-enabled', 'yes', '--cluster-config-file', `${folder}/${name}.conf`],
      ...[
        '--cluster-port',
        String(busPort),
        '--cluster-node-timeout',
        '1000',
        '--cluster-replica-validity-factor',
        '0',
      ],
    )
  }
  const masters = await Promise.all([start(), start(), start()])
  const followers = replicas ? await Promise.all([start(), start(), start()]) : []
  const nodes = [...masters, ...followers]
  const first = masters[0]
  if (!first) throw new Error('no master')
  for (const [index, master] of masters.entries()) {
    const [from, to] = [index, index + 1].map((part) => Math.floor((part * SLOTS) / masters.length))
    await master.command(`CLUSTER ADDSLOTSRANGE ${from} ${(to ?? 0) - 1}`)
    await master.command(`CLUSTER SET-CONFIG-EPOCH ${index + 1}`)
  }
  const busOf = async (node: TestRedis) => /@(\d+)/.exec(await node.command('CLUSTER NODES'))?.[1]
  for (const node of nodes.slice(1)) await first.command(`CLUSTER MEET 127.0.0.1 ${node.port} ${await busOf(node)}`)
  await until(async () => {
    const states = await Promise.all(nodes.map((node) => node.command('CLUSTER INFO')))
    return states.every((state) => state.includes('cluster_state:ok') && state.includes(`known_nodes:${nodes.length}`))
  }, 20_000)
  for (const [index, follower] of followers.entries()) {
    const id = /\b([0-9a-f]{40})\b/.exec((await masters[index]?.command('CLUSTER MYID')) ?? '')?.[1]
    await follower.command(`CLUSTER REPLICATE ${id}`)
    await until(async () => (await follower.command('INFO replication')).includes('master_link_status:up'), 20_000)
  }
  return { url: `redis-cluster://${masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`, nodes }
}
