import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createThreadTurns } from '../../../src/platform/concurrency/index.ts'

test('if very many requests arrive in one iteration of the event loop, they take turns, however short they are', () => {
  const { mustWait } = createThreadTurns(() => [])
  const end = performance.now() + 1000
  let now: number
  do now = performance.now()
  while (!mustWait(now) && now < end)
  assert.ok(now < end)
})

/** Clients that wait for turns, and use the thread in each. Each client is a network. */
function createThreadClients() {
  // This thread gets half of the processor.
  let usedMs = 0
  const turns = createThreadTurns((client) => [client], { now: () => 2 * usedMs, threadMs: () => usedMs })
  const started: string[] = []
  const run = async (client: string, busyMs: number) => {
    await turns.wait(client)
    started.push(client)
    usedMs += busyMs
  }
  return { started, run }
}

test('some hundred networks whose requests take long do not delay those of another', async () => {
  const { started, run } = createThreadClients()
  const networks = Array.from({ length: 100 }, (_, i) => `network ${i}`)
  const first = networks.map((network) => run(network, 6))
  const second = networks.map((network) => run(network, 6))
  await Promise.all(first)
  const before = started.length
  await run('other', 0)
  assert.ok(started.length - before < 5, `after ${started.length - before} turns`)
  await Promise.all(second)
})

test('many short requests of a network do not wait for a long one of every other network that used as much', async () => {
  const { started, run } = createThreadClients()
  const networks = Array.from({ length: 10 }, (_, i) => `network ${i}`)
  // Of the first requests of a network, little counts.
  for (let i = 0; i < 5; i++) await Promise.all(['home', ...networks].map((network) => run(network, 25)))
  await run('home', 0)
  const others = networks.flatMap((network) => Array.from({ length: 3 }, () => run(network, 10)))
  const before = started.length
  await Promise.all(Array.from({ length: 5 }, () => run('home', 0)))
  assert.ok(started.length - before < 10, `after ${started.length - before} turns`)
  await Promise.all(others)
})

test('a request during which garbage is collected does not make the short ones of its network wait for all others', async () => {
  const { started, run } = createThreadClients()
  const networks = Array.from({ length: 20 }, (_, i) => `network ${i}`)
  await Promise.all(['home', ...networks].map((network) => run(network, 100)))
  for (let i = 0; i < 10; i++) await run('home', 0)
  await run('home', 30)
  const others = networks.flatMap((network) => Array.from({ length: 2 }, () => run(network, 30)))
  const before = started.length
  await run('home', 0)
  assert.ok(started.length - before < 10, `after ${started.length - before} turns`)
  await Promise.all(others)
})

test('a first request during which garbage is collected does not make the next ones of its network wait for all others', async (t) => {
  const { started, run } = createThreadClients()
  let isOver = false
  t.after(() => {
    isOver = true
  })
  const repeat = async (network: string) => {
    while (!isOver) await run(network, 1)
  }
  for (let i = 0; i < 200; i++) void repeat(`network ${i % 100}`)
  await run('home', 30)
  const before = started.length
  for (let i = 0; i < 5; i++) await run('home', 0)
  assert.ok(started.length - before < 20, `after ${started.length - before} turns`)
})

test('a network that used the thread for long gets turns while many others use it', async () => {
  const { started, run } = createThreadClients()
  // Of the first request, little counts.
  for (let i = 0; i < 6; i++) await run('heavy', 30)
  for (let i = 0; i < 4; i++) await run('medium', 10)
  const others = Array.from({ length: 200 }, (_, i) => run(`network ${i}`, 1))
  await Promise.all([run('heavy', 0), run('medium', 0)])
  assert.ok(started.length < 30, `after ${started.length} turns`)
  await Promise.all(others)
})
