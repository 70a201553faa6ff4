import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue, type FairQueueOptions, type QueuedJob } from '../../../src/platform/concurrency/index.ts'

interface NamedJob extends QueuedJob {
  readonly name: string
}

/** `a1` is the first job of client a. The maximum is 160 bytes, so jobs of up to 10 are small. */
function startQueue(processes: number, options: Partial<FairQueueOptions> = {}) {
  let now = 0
  const clock = () => now
  const queue = createFairQueue<NamedJob>({ processes, maxEstimatedBytes: 160, maxQueued: 0, clock, ...options })
  const running: NamedJob[] = []
  /** Returns the names of the jobs that start now. */
  function start() {
    const started: NamedJob[] = []
    for (let job = queue.takeNext(); job; job = queue.takeNext()) {
      queue.start(job)
      running.push(job)
      started.push(job)
    }
    return started.map(({ name }) => name)
  }
  function end(name: string) {
    const at = running.findIndex((job) => job.name === name)
    for (const job of running.splice(at, 1)) queue.end(job)
  }
  const wait = (ms: number) => {
    now += ms
  }
  return {
    start,
    end,
    wait,
    /** Runs the next job for so long, and returns its name. */
    runNext(ms: number) {
      const [name = ''] = start()
      wait(ms)
      end(name)
      return name
    },
    add: (name: string, estimatedBytes: number, isContinued = false, estimatedMs = 0, preemptions = 0) =>
      queue.add({ name, client: [name[0]!], estimatedBytes, isContinued, estimatedMs, preemptions }),
    findPreempted: () => queue.findPreempted()?.name,
    announce: (client: string) => queue.announce([client]),
    /** Returns the name of the job to refuse if this one is too much. */
    addSurplus(name: string, heldBytes = 0) {
      const job = { name, client: [name[0]!], estimatedBytes: 1, heldBytes }
      queue.add(job)
      return queue.listRefused(job).next().value?.name
    },
  }
}

test('clients take turns', () => {
  const { add, start, end } = startQueue(1)
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) add(name, 160)
  const order = start()
  for (let last = order[0]; last; [last] = order.slice(order.length - 1)) {
    end(last)
    const started = start()
    if (started.length === 0) break
    order.push(...started)
  }
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('many networks whose jobs take seconds do not delay the short jobs of another', () => {
  const { add, start, end, wait } = startQueue(2)
  for (const nth of [1, 2, 3]) for (const network of 'abcdefghijkl') add(network + nth, 1)
  for (let round = 0; round < 4; round++) {
    const started = start()
    wait(3000)
    for (const name of started) end(name)
  }
  for (const name of ['z1', 'z2']) add(name, 1)
  assert.deepEqual(start().slice(0, 2), ['z1', 'z2'])
  for (const name of ['z1', 'z2']) end(name)
  start()
  add('z3', 1)
  assert.deepEqual(start(), ['z3'])
})

test('networks that used nothing do not delay a short job of another with longer ones, nor take the reserve', () => {
  const { add, start, end } = startQueue(2)
  for (const name of ['a1', 'b1', 'c1', 'd1']) add(name, 1, true, 500)
  assert.deepEqual(start(), ['a1', 'b1'])
  add('z1', 1)
  assert.deepEqual(start(), ['z1'])
  for (const name of ['a1', 'z1']) end(name)
  add('y1', 1, true, 100)
  add('x1', 1)
  assert.deepEqual(start(), ['x1'])
  end('b1')
  assert.deepEqual(start(), ['y1'])
})

test('if the queue is full of networks that used much, another gets in, and if they used nothing, it does not', () => {
  const { add, addSurplus, start, end, wait } = startQueue(2)
  for (const name of ['a1', 'b1']) add(name, 1)
  start()
  for (const name of ['a2', 'b2']) add(name, 1)
  assert.equal(addSurplus('y1'), 'y1')
  wait(2000)
  for (const name of ['a1', 'b1']) end(name)
  assert.match(addSurplus('z1')!, /[ab]2/)
  // A network with many jobs is not first because it used nothing yet.
  for (const nth of [2, 3, 4]) addSurplus(`z${nth}`)
  assert.equal(addSurplus('c1'), 'z4')
})

test('a job that continues is refused after others of its client, and refuses none', () => {
  const { add, addSurplus } = startQueue(2, { maxQueued: 3 })
  for (const name of ['a1', 'a2', 'b1']) add(name, 1)
  add('a3', 1, true)
  assert.equal(addSurplus('z1'), 'a2')
})

test('a network that used much for long takes turns with others that use much', () => {
  const { add, runNext } = startQueue(1)
  for (const [name, ms] of [
    ['a1', 120_000],
    ['b1', 20_000],
  ] as const) {
    add(name, 1)
    runNext(ms)
  }
  for (const name of ['a2', 'a3', 'b2', 'b3']) add(name, 1)
  assert.deepEqual(
    Array.from({ length: 4 }, () => runNext(3000)),
    ['a2', 'b2', 'a3', 'b3'],
  )
})

test('one extra process is reserved for a network that has nothing running', () => {
  const { add, start, end } = startQueue(2)
  for (const name of ['a1', 'a2', 'a3']) add(name, 1)
  assert.deepEqual(start(), ['a1', 'a2'])
  add('b1', 1)
  add('b2', 1)
  assert.deepEqual(start(), ['b1'])
  end('b1')
  assert.deepEqual(start(), ['b2'])
  end('a1')
  assert.deepEqual(start(), [])
  end('a2')
  assert.deepEqual(start(), ['a3'])
})

test('small jobs are not delayed by a large one, nor by large ones that wait', () => {
  const { add, start, end } = startQueue(2)
  add('a1', 160)
  add('a2', 160)
  add('b1', 160)
  assert.deepEqual(start(), ['a1'])
  for (const name of ['c1', 'c2', 'c3']) {
    add(name, 10)
    assert.deepEqual(start(), [name])
    end(name)
  }
  end('a1')
  assert.deepEqual(start(), ['b1'])
})

test('a large job is not delayed by small ones, however many arrive', () => {
  const { add, start, end } = startQueue(20)
  for (let n = 1; n <= 16; n++) add(`a${n}`, 10)
  assert.equal(start().length, 16)
  add('b1', 160)
  for (let n = 1; n <= 15; n++) {
    add(`c${n}`, 10)
    end(`a${n}`)
    assert.deepEqual(start(), n === 15 ? ['b1'] : [])
  }
  end('a16')
  assert.deepEqual(start(), ['c1'])
})

test('no large job overtakes the first large one', () => {
  const { add, start, end } = startQueue(4)
  for (const [name, estimatedBytes] of [
    ['a1', 100],
    ['b1', 160],
    ['c1', 50],
  ] as const)
    add(name, estimatedBytes)
  assert.deepEqual(start(), ['a1'])
  end('a1')
  assert.deepEqual(start(), ['b1'])
  end('b1')
  assert.deepEqual(start(), ['c1'])
})

test('small and large jobs alternate if there are few processes', () => {
  const { add, runNext } = startQueue(1)
  for (const name of ['a1', 'a2']) add(name, 1)
  for (const name of ['a3', 'a4']) add(name, 100)
  assert.deepEqual(
    Array.from({ length: 4 }, () => runNext(0)),
    ['a1', 'a3', 'a2', 'a4'],
  )
})

test('a continued job runs before its client starts another', () => {
  const { add, runNext } = startQueue(1)
  add('a1', 1)
  add('a2', 1, true)
  add('a3', 1, true)
  assert.deepEqual(
    Array.from({ length: 3 }, () => runNext(0)),
    ['a2', 'a3', 'a1'],
  )
})

test('quick and medium jobs take turns, and the reserve is no turn', () => {
  const { add, start, end } = startQueue(1)
  for (const network of 'abcd') add(`${network}1`, 1)
  for (const network of 'wxyz') add(`${network}1`, 1, true, 100)
  const order = []
  for (let n = 0; n < 3; n++) {
    const [first = '', reserved = ''] = start()
    order.push(first, reserved)
    for (const name of [reserved, first]) end(name)
  }
  assert.deepEqual(order, ['a1', 'w1', 'x1', 'b1', 'c1', 'y1'])
})

test('large jobs leave half of the processes to others', () => {
  const { add, start, end } = startQueue(2)
  for (const network of 'abc') add(`${network}1`, 20)
  assert.deepEqual(start(), ['a1', 'b1'])
  add('y1', 1)
  add('z1', 1)
  assert.deepEqual(start(), ['y1'])
  end('a1')
  assert.deepEqual(start(), ['z1'])
  end('z1')
  assert.deepEqual(start(), ['c1'])
})

test('one network with large jobs does not delay those of others, if there is memory for two', () => {
  const { add, start, end } = startQueue(2, { largeReserveBytes: 40 })
  for (const name of ['a1', 'a2', 'a3']) add(name, 20)
  assert.deepEqual(start(), ['a1', 'a2'])
  for (const name of ['b1', 'c1', 'd1']) {
    add(name, 40)
    assert.deepEqual(start(), [name])
    if (name !== 'd1') end(name)
  }
  add('y1', 20)
  add('z1', 1)
  assert.deepEqual(start(), ['z1'], 'the reserve for small jobs is free')
  end('d1')
  assert.deepEqual(start(), ['y1'])
})

test('the reserve for large jobs takes none that takes very long', () => {
  const { add, start } = startQueue(2, { largeReserveBytes: 40 })
  for (const name of ['a1', 'a2']) add(name, 20)
  start()
  add('b1', 20, true, 50_000)
  assert.deepEqual(start(), [])
  add('c1', 20, true, 5000)
  assert.deepEqual(start(), ['c1'])
})

test('a job that takes all of the memory does not delay other large ones', () => {
  const { add, start } = startQueue(2, { largeReserveBytes: 40 })
  add('a1', 160)
  assert.deepEqual(start(), ['a1'])
  for (const [name, estimatedBytes] of [
    ['a2', 40],
    ['b1', 100],
    ['c1', 40],
  ] as const)
    add(name, estimatedBytes)
  assert.deepEqual(start(), ['c1'])
})

test('a job that runs is preempted if its network used much, and one that used little waits', () => {
  const { add, start, end, wait, findPreempted } = startQueue(1, { hasReserve: false })
  add('a1', 20)
  start()
  wait(4000)
  add('a2', 1)
  add('b1', 20, true, 1000)
  assert.equal(findPreempted(), undefined, 'it used too little')
  wait(2000)
  assert.equal(findPreempted(), 'a1')
  end('a1')
  assert.deepEqual(start(), ['a2'])
  wait(500)
  assert.equal(findPreempted(), undefined, 'it has not run for long')
  end('a2')
  assert.deepEqual(start(), ['b1'])
})

test('a job that was preempted runs twice as long before it is preempted again, up to four seconds', () => {
  for (const [preemptions, minRunMs] of [1000, 2000, 4000, 4000].entries()) {
    const { add, start, wait, runNext, findPreempted } = startQueue(1, { hasReserve: false })
    add('a1', 20)
    runNext(9000)
    add('a2', 20, true, 0, preemptions)
    start()
    add('b1', 20)
    wait(minRunMs - 1)
    assert.equal(findPreempted(), undefined)
    wait(1)
    assert.equal(findPreempted(), 'a2')
  }
})

test('of the jobs of a network that were preempted, only the oldest runs longer', () => {
  const { add, start, wait, findPreempted } = startQueue(2, { hasReserve: false })
  for (const name of ['a1', 'a2']) add(name, 20, true, 0, 2)
  start()
  wait(3000)
  add('b1', 20)
  assert.equal(findPreempted(), 'a2')
})

test('no job is preempted for one that takes as long, that would have to wait for others, or whose network has one', () => {
  const { add, start, wait, findPreempted } = startQueue(2)
  for (const name of ['a1', 'b1']) add(name, 20)
  start()
  wait(6000)
  assert.equal(findPreempted(), undefined, 'none waits')
  add('b2', 20)
  add('c1', 20, true, 4000)
  assert.equal(findPreempted(), undefined)
  add('d1', 160, true, 100)
  assert.equal(findPreempted(), undefined)
  add('e1', 20, true, 10)
  assert.equal(findPreempted(), 'a1')
})

test('all jobs of a network are preempted for one that needs all memory', () => {
  const { add, start, end, wait, findPreempted } = startQueue(2)
  for (const name of ['a1', 'a2']) add(name, 20)
  start()
  wait(6000)
  add('b1', 160)
  for (const name of ['a1', 'a2']) {
    assert.equal(findPreempted(), name)
    end(name)
    add(name, 20, true)
  }
  assert.deepEqual(start(), ['b1'])
})

test('a job that holds many bytes is not refused if only the number of jobs is too high', () => {
  const { addSurplus } = startQueue(1, { maxQueued: 4, maxQueuedBytes: 80 })
  for (const name of ['a1', 'a2', 'b1', 'b2']) assert.equal(addSurplus(name), undefined)
  assert.equal(addSurplus('z1', 40), 'b2')
})

test('a job that holds many bytes is refused if all hold too many, but there is space for two of any size', () => {
  const { addSurplus } = startQueue(1, { maxQueued: 8, maxQueuedBytes: 80 })
  for (const name of ['a1', 'a2', 'b1']) assert.equal(addSurplus(name, 20), undefined)
  assert.equal(addSurplus('b2', 20), undefined)
  assert.equal(addSurplus('c1', 10), 'b2')
  const { addSurplus: add } = startQueue(1, { maxQueued: 8, maxQueuedBytes: 80 })
  for (const name of ['a1', 'b1']) assert.equal(add(name, 1000), undefined)
  assert.equal(add('c1', 1000), 'c1')
})

test('networks with small jobs, or new ones, are admitted while the queue holds too many bytes', () => {
  const { add, addSurplus, start, announce } = startQueue(1, { hasReserve: false, maxQueued: 8, maxQueuedBytes: 80 })
  add('a1', 1)
  start()
  for (const name of ['a2', 'b1']) assert.equal(addSurplus(name, 40), undefined)
  assert.equal(addSurplus('c1', 40), 'c1')
  assert.notEqual(addSurplus('d1', 1), 'd1')
  assert.deepEqual(['c', 'd', 'e'].map(announce).map(Boolean), [false, true, true])
})

test('jobs that were announced lately count as if they waited', () => {
  const options = { hasReserve: false, maxQueued: 8, maxQueuedBytes: 80 }
  const { add, addSurplus, start, runNext, announce, wait } = startQueue(1, options)
  for (const name of ['b1', 'c1', 'd1']) {
    addSurplus(name, 40)
    runNext(0)
  }
  add('a1', 1)
  start()
  addSurplus('a2', 40)
  const job = announce('b')
  assert.equal(announce('c'), undefined)
  job?.[Symbol.dispose]()
  assert.ok(announce('c'))
  assert.equal(announce('d'), undefined)
  wait(1000)
  assert.ok(announce('d'))
})

test('what one network announces has no job of another refused', () => {
  const { addSurplus, runNext, add, start, announce } = startQueue(1, {
    hasReserve: false,
    maxQueued: 8,
    maxQueuedBytes: 80,
  })
  addSurplus('a1', 40)
  runNext(0)
  add('b1', 1)
  start()
  for (const network of ['a', 'a', 'c']) assert.ok(announce(network), network)
  assert.equal(announce('a'), undefined)
})

test('networks that are new are not before one that used a little', () => {
  const { add, runNext } = startQueue(1, { hasReserve: false })
  add('z1', 1)
  runNext(150)
  for (const name of ['a1', 'a2', 'a3']) {
    add(name, 1, true, 100)
    runNext(100)
  }
  add('b1', 1, true, 100)
  add('z2', 1, true, 60)
  assert.equal(runNext(60), 'z2')
})

test('after a network used much, others still have the same time', () => {
  const { add, runNext } = startQueue(1, { hasReserve: false })
  for (const name of ['a1', 'a2']) {
    add(name, 1)
    runNext(20_000)
  }
  for (const name of ['x1', 'x2', 'x3', 'x4']) add(name, 1)
  for (const name of ['z1', 'z2']) add(name, 1, true, 20)
  assert.deepEqual(
    Array.from({ length: 4 }, () => runNext(300)),
    ['x1', 'z1', 'x2', 'z2'],
  )
})
