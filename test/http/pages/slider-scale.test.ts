import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filters } from '../../../src/features/filters/index.ts'
import { buildScale, findPosition } from '../../../src/http/pages/playground/slider-scale.ts'

test('a slider covers the range of every filter, and no two positions have the same value', () => {
  for (const { name, strength } of filters) {
    if (!strength) continue
    const scale = buildScale(strength)
    assert.deepEqual([scale[0], scale.at(-1)], [strength.min, strength.max], name)
    assert.ok(
      scale.every((value, at) => at === 0 || value > scale[at - 1]!),
      name,
    )
    assert.equal(scale[findPosition(scale, strength.default)], strength.default, name)
  }
})

test('a wide range is logarithmic: small values have more of the length', () => {
  const scale = buildScale({ min: 1, max: 256 })
  assert.deepEqual(scale.slice(0, 6), [1, 2, 3, 4, 5, 6])
  assert.ok(findPosition(scale, 16) > scale.length * 0.25 && findPosition(scale, 16) < scale.length * 0.5)
  assert.equal(findPosition(scale, 1e9), scale.length - 1)
  assert.equal(findPosition(scale, -5), 0)
})
