import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSipHash, HyperLogLog, SKETCH_BYTES } from '../../../src/platform/store/hyper-log-log.ts'

const createHash = (key = 0) => createSipHash(Buffer.alloc(16, key))

const fill = (count: number, hash = createHash()) => {
  const sketch = new HyperLogLog()
  for (let n = 0; n < count; n++) sketch.add(hash(`installation ${n}`))
  return sketch
}

test('SipHash gives the values of its authors', () => {
  const hash = createSipHash(Uint8Array.from({ length: 16 }, (_, n) => n))
  const vectors = ['726fdb47dd0e0e31', '74f839c593dc67fd', '0d6c8009d9a94f5a', '85676696d7fb7e2d', 'cf2794e0277187b7']
  for (const [length, expected] of [...vectors.entries(), [8, '93f5f5799a932462'], [15, 'a129ca6149be45e5']] as const) {
    const { high, low } = hash(String.fromCharCode(...Array.from({ length }, (_, n) => n)))
    const hexadecimal = [high, low].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
    assert.equal(hexadecimal, expected, `${length} bytes`)
  }
})

test('the estimate is within 3 % for any number of installations', () => {
  for (const count of [0, 1, 2, 10, 100, 1000, 10_000, 50_000, 200_000]) {
    const estimate = fill(count).estimate()
    assert.ok(Math.abs(estimate - count) <= count * 0.03, `${estimate} instead of ${count}`)
  }
})

test('values that are added again do not change it', () => {
  const sketch = fill(1000)
  assert.equal(sketch.add(createHash()('installation 7')), false)
  assert.deepEqual(fill(1000).merge(sketch.toBytes()).toBytes(), sketch.toBytes())
})

test('its bytes hold all registers', () => {
  const bytes = fill(100_000).toBytes()
  assert.equal(bytes.length, SKETCH_BYTES)
  assert.deepEqual(new HyperLogLog().merge(bytes).toBytes(), bytes)
})

test('another salt gives other registers', () => {
  const [one, other] = [fill(1000), fill(1000, createHash(1))]
  assert.notDeepEqual(one.toBytes(), other.toBytes())
  assert.ok(one.merge(other.toBytes()).estimate() > 1900)
})
