import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLine, type Waiting } from '../../../src/platform/concurrency/fair-queue.ts'

interface Picture extends Waiting {
  readonly name: string
}

/** `a1` is the first picture of caller a; pixels are of 160 that one may have, so that up to 10 make a small one. */
function start(threads: number) {
  const line = createLine<Picture>({ threads, maxPixels: 160 })
  const underWay: Picture[] = []
  return {
    add: (name: string, pixels: number, isAdmitted = false) => line.add({ name, caller: name[0]!, pixels, isAdmitted }),
    /** The names of those that start now. */
    begin() {
      const begun: Picture[] = []
      for (let job = line.next(underWay); job; job = line.next(underWay)) {
        underWay.push(job)
        begun.push(job)
      }
      return begun.map(({ name }) => name)
    },
    end: (name: string) =>
      underWay.splice(
        underWay.findIndex((job) => job.name === name),
        1,
      ),
  }
}

test('callers take turns', () => {
  const { add, begin, end } = start(1)
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) add(name, 160)
  const order = begin()
  for (let last = order[0]; last; [last] = order.slice(order.length - 1)) {
    end(last)
    const begun = begin()
    if (begun.length === 0) break
    order.push(...begun)
  }
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('one thread more is for a caller who has nothing under way', () => {
  const { add, begin, end } = start(2)
  for (const name of ['a1', 'a2', 'a3']) add(name, 1)
  assert.deepEqual(begin(), ['a1', 'a2'])
  add('b1', 1)
  add('b2', 1)
  assert.deepEqual(begin(), ['b1'])
  end('b1')
  assert.deepEqual(begin(), ['b2'])
  end('a1')
  assert.deepEqual(begin(), [])
  end('a2')
  assert.deepEqual(begin(), ['a3'])
})

test('small pictures are not held up by a large one that fills the room, nor by those that wait for it', () => {
  const { add, begin, end } = start(2)
  add('a1', 160)
  add('a2', 160)
  add('b1', 160)
  assert.deepEqual(begin(), ['a1'])
  for (const name of ['c1', 'c2', 'c3']) {
    add(name, 10)
    assert.deepEqual(begin(), [name])
    end(name)
  }
  end('a1')
  assert.deepEqual(begin(), ['b1'])
})

test('a large picture is not held up by small ones, however many come', () => {
  const { add, begin, end } = start(20)
  for (let n = 1; n <= 16; n++) add(`a${n}`, 10)
  assert.equal(begin().length, 16)
  add('b1', 160)
  for (let n = 1; n <= 15; n++) {
    add(`c${n}`, 10)
    end(`a${n}`)
    assert.deepEqual(begin(), n === 15 ? ['b1'] : [])
  }
  end('a16')
  assert.deepEqual(begin(), ['c1'])
})

test('among large pictures nobody passes the one in front', () => {
  const { add, begin, end } = start(4)
  for (const [name, pixels] of [
    ['a1', 100],
    ['b1', 160],
    ['c1', 50],
  ] as const)
    add(name, pixels)
  assert.deepEqual(begin(), ['a1'])
  end('a1')
  assert.deepEqual(begin(), ['b1'])
  end('b1')
  assert.deepEqual(begin(), ['c1'])
})

test('small and large ones take turns where threads are rare', () => {
  const { add, begin, end } = start(1)
  for (const name of ['a1', 'a2']) add(name, 1)
  for (const name of ['a3', 'a4']) add(name, 100)
  const order = []
  for (let n = 0; n < 4; n++) {
    const [name] = begin()
    order.push(name)
    end(name!)
  }
  assert.deepEqual(order, ['a1', 'a3', 'a2', 'a4'])
})

test('what was begun is gone on with before the same caller begins another', () => {
  const { add, begin, end } = start(1)
  add('a1', 1)
  add('a2', 1, true)
  add('a3', 1, true)
  const order = []
  for (let n = 0; n < 3; n++) {
    const [name] = begin()
    order.push(name)
    end(name!)
  }
  assert.deepEqual(order, ['a2', 'a3', 'a1'])
})
