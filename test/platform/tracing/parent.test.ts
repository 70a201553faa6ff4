import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parentOf } from '../../../src/platform/tracing/parent.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

test('a traceparent is taken as W3C writes it, those of later versions, too', () => {
  const parent = { traceId: TRACE, spanId: SPAN, isRemote: true }
  assert.deepEqual(parentOf(`00-${TRACE}-${SPAN}-01`), { ...parent, traceFlags: 1 })
  assert.deepEqual(parentOf(`00-${TRACE}-${SPAN}-00`), { ...parent, traceFlags: 0 })
  assert.deepEqual(parentOf(`00-${TRACE}-${SPAN}-ff`), { ...parent, traceFlags: 1 })
  assert.deepEqual(parentOf(`cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`), { ...parent, traceFlags: 1 })
})

for (const header of [
  undefined,
  '',
  'nonsense',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-1`,
  ` 00-${TRACE}-${SPAN}-01`,
]) {
  test(`"${header}" is no traceparent`, () => assert.equal(parentOf(header), undefined))
}
