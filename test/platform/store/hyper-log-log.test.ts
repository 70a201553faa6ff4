import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HyperLogLog, SKETCH_BYTES } from '../../../src/platform/store/hyper-log-log.ts'

const fill = (count: number, salt = 'a salt') => {
  const sketch = new HyperLogLog()
  for (let n = 0; n < count; n++) sketch.add(salt, `installation ${n}`)
  return sketch
}

test('the estimate is within 3 % for any number of installations', () => {
  for (const count of [0, 1, 2, 10, 100, 1000, 10_000, 50_000, 200_000]) {
    const estimate = fill(count).estimate()
    assert.ok(Math.abs(estimate - count) <= count * 0.03, `${estimate} instead of ${count}`)
  }
})

test('values that are added again do not change it', () => {
  const sketch = fill(1000)
  assert.equal(sketch.add('a salt', 'installation 7'), false)
  assert.deepEqual(fill(1000).merge(sketch.toBytes()).toBytes(), sketch.toBytes())
})

test('its bytes hold all registers', () => {
  const bytes = fill(100_000).toBytes()
  assert.equal(bytes.length, SKETCH_BYTES)
  assert.deepEqual(new HyperLogLog().merge(bytes).toBytes(), bytes)
})

test('another salt gives other registers', () => {
  const [one, other] = [fill(1000), fill(1000, 'another salt')]
  assert.notDeepEqual(one.toBytes(), other.toBytes())
  assert.ok(one.merge(other.toBytes()).estimate() > 1900)
})
