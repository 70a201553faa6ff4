import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createGate } from '../../../src/platform/net/index.ts'
import { seen } from '../../kit/seen.ts'
import { signal } from './kit.ts'

const options = { total: 2, perKey: 2, waiting: 4, waitMs: 5000, retryAfter: (waiting: number) => waiting }

/** Enters and notes the name when inside; stays until told to leave. */
function visitors(gate: ReturnType<typeof createGate>) {
  const entered: string[] = []
  const places: Disposable[] = []
  const come = async (name: string, key = name, caller = signal()) => {
    places.push(await gate.enter(key, caller))
    entered.push(name)
  }
  const leave = async () => {
    await new Promise(setImmediate)
    places.shift()![Symbol.dispose]()
  }
  return { entered, come, leave }
}

test('places go round the keys that wait, not to who came first', async () => {
  const gate = createGate({ ...options, total: 1, waiting: 10 })
  const { entered, come, leave } = visitors(gate)
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => come(name, name[0]))
  for (let n = 0; n < 6; n++) await leave()
  await Promise.all(all)
  assert.deepEqual(entered, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

test('a key never takes all places', async () => {
  const gate = createGate({ ...options, total: 3, perKey: 2 })
  const { entered, come, leave } = visitors(gate)
  const all = ['a1', 'a2', 'a3', 'b1'].map((name) => come(name, name[0]))
  await new Promise(setImmediate)
  assert.deepEqual(entered, ['a1', 'a2', 'b1'])
  await leave()
  await Promise.all(all)
  assert.deepEqual(gate.status(), { running: 3, waiting: 0 })
})

test('where the line is full, the key with most in it loses its newest to a key with less', async () => {
  const gate = createGate({ ...options, total: 1, waiting: 3 })
  const { entered, come, leave } = visitors(gate)
  await come('a0', 'a')
  const all = ['a1', 'a2'].map((name) => come(name, 'a'))
  const newest = assert.rejects(come('a3', 'a'), seen('BUSY', { retryAfter: 3 }))
  await assert.rejects(come('a4', 'a'), seen('BUSY'))
  all.push(come('b1', 'b'))
  await newest
  await assert.rejects(come('b2', 'b'), seen('BUSY'))
  assert.deepEqual(gate.status(), { running: 1, waiting: 3 })
  for (let n = 0; n < 3; n++) await leave()
  await Promise.all(all)
  assert.deepEqual(entered, ['a0', 'a1', 'b1', 'a2'])
})

test('who waits too long is sent away, and so is everybody where nobody may wait', async () => {
  for (const gate of [
    createGate({ ...options, total: 1, waitMs: 50 }),
    createGate({ ...options, total: 1, waiting: 0 }),
  ]) {
    using _place = await gate.enter('a', signal())
    await assert.rejects(gate.enter('b', signal()), seen('BUSY'))
    assert.deepEqual(gate.status(), { running: 1, waiting: 0 })
  }
})

test('whatever comes, waits, hangs up and leaves: no bound is broken and nobody is forgotten', async () => {
  const visit = fc.record({ key: fc.constantFrom('a', 'b', 'c'), turns: fc.nat(3), hangsUp: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(visit, { maxLength: 30 }), async (visits) => {
      const gate = createGate({ ...options, total: 3 })
      const inside: Record<string, number> = {}
      const stay = async ({ key, turns, hangsUp }: (typeof visits)[number]) => {
        const caller = new AbortController()
        const entering = gate.enter(key, caller.signal)
        if (hangsUp) caller.abort()
        const place = await entering.catch(() => undefined)
        if (!place) return
        inside[key] = (inside[key] ?? 0) + 1
        for (let n = 0; n < turns; n++) await Promise.resolve()
        assert.ok(inside[key] <= 2 && gate.status().running <= 3 && gate.status().waiting <= 4)
        inside[key]--
        place[Symbol.dispose]()
      }
      await Promise.all(visits.map(stay))
      assert.deepEqual(gate.status(), { running: 0, waiting: 0 })
    }),
  )
})
