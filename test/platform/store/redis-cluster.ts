import { temporaryFolder } from '../../kit/folder.ts'
import { freePort, startRedis, type TestRedis } from '../../kit/redis.ts'
import type { Scope } from '../../kit/scope.ts'
import { until } from '../../kit/until.ts'

const SLOTS = 16_384

export interface TestCluster {
  readonly url: string
  readonly nodes: readonly TestRedis[]
}

/**
 * Starts a real cluster of three masters on free ports, optionally with one replica each. `partial`: if a master is down,
 * the others continue.
 */
export async function startCluster(t: Scope, { replicas = false, partial = false } = {}): Promise<TestCluster> {
  const folder = await temporaryFolder(t)
  const start = async () => {
    const [busPort, configFile] = [await freePort(), `${folder}/${await freePort()}.conf`]
    const options = {
      'cluster-enabled': 'yes',
      'cluster-config-file': configFile,
      'cluster-port': busPort,
      'cluster-node-timeout': 1000,
      'cluster-replica-validity-factor': 0,
      'cluster-require-full-coverage': partial ? 'no' : 'yes',
      'repl-diskless-sync-delay': 0,
    }
    const node = await startRedis(
      t,
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    )
    return { node, busPort }
  }
  const started = await Promise.all(Array.from({ length: replicas ? 6 : 3 }, () => start().catch(start)))
  const nodes = started.map(({ node }) => node)
  const masters = nodes.slice(0, 3)
  for (const [index, master] of masters.entries()) {
    const [from = 0, to = 0] = [index, index + 1].map((part) => Math.floor((part * SLOTS) / masters.length))
    await master.command(`CLUSTER ADDSLOTSRANGE ${from} ${to - 1}`)
    await master.command(`CLUSTER SET-CONFIG-EPOCH ${index + 1}`)
  }
  // Every node meets every other node: gossip alone would take seconds.
  const meetOthers = async (node: TestRedis) => {
    for (const { node: other, busPort } of started)
      if (other !== node) await node.command(`CLUSTER MEET 127.0.0.1 ${other.port} ${busPort}`)
  }
  await Promise.all(nodes.map(meetOthers))
  await until(async () => {
    const states = await Promise.all(nodes.map((node) => node.command('CLUSTER INFO')))
    // If the machine stops for a second, nodes forget those that they are about to meet.
    const alone = nodes.filter((_, index) => !states[index]?.includes(`known_nodes:${nodes.length}`))
    await Promise.all(alone.map(meetOthers))
    return alone.length === 0 && states.every((state) => state.includes('cluster_state:ok'))
  })
  await Promise.all(nodes.slice(3).map((replica, index) => follow(replica, masters[index])))
  return { url: `redis-cluster://${masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}`, nodes }
}

async function follow(replica: TestRedis, master: TestRedis | undefined) {
  const id = /\b([0-9a-f]{40})\b/.exec((await master?.command('CLUSTER MYID')) ?? '')?.[1]
  await replica.command(`CLUSTER REPLICATE ${id}`)
  await until(async () => (await replica.command('INFO replication')).includes('master_link_status:up'), 20_000)
}

const readId = async (node: TestRedis) => /\b([0-9a-f]{40})\b/.exec(await node.command('CLUSTER MYID'))?.[1]

/** Moves all keys of a slot to another node, as an operator does who adds servers. */
export async function moveSlot(nodes: readonly TestRedis[], slot: number, from: TestRedis, to: TestRedis) {
  const [source, target] = await Promise.all([from, to].map(readId))
  await to.command(`CLUSTER SETSLOT ${slot} IMPORTING ${source}`)
  await from.command(`CLUSTER SETSLOT ${slot} MIGRATING ${target}`)
  const keys = (await from.command(`CLUSTER GETKEYSINSLOT ${slot} 100`)).match(/^\{.*$/gm) ?? []
  for (const key of keys) await from.command(`MIGRATE 127.0.0.1 ${to.port} ${key.trim()} 0 5000`)
  for (const node of nodes) await node.command(`CLUSTER SETSLOT ${slot} NODE ${target}`)
}
