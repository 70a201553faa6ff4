import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createHistograms, definitionList, definitions, renderMetrics } from '../../../src/platform/metrics/index.ts'
import { parseExposition, sumSamples } from '../../kit/exposition.ts'

test('every metric is rendered with help and type, even without samples', () => {
  const families = parseExposition(renderMetrics({}))
  assert.deepEqual(
    [...families].map(([name, { type, help }]) => ({ name, type, help })),
    definitionList().map(([, { name, type, help }]) => ({ name, type, help })),
  )
})

test('labels are escaped so that they can be parsed back', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '{', '}', ',', '=', 'é') })),
      (routes) => {
        const families = parseExposition(renderMetrics({ requests: routes.map((route) => [[route, 'GET', '200'], 1]) }))
        const { samples } = families.get(definitions.requests.name)!
        assert.deepEqual(
          samples.map(({ labels }) => labels),
          routes.map((route) => ({ route, method: 'GET', status: '200' })),
        )
      },
    ),
  )
})

test('a histogram counts each value in the first bucket whose bound is not lower', () => {
  const histograms = createHistograms({ bounds: definitions.stageSeconds.bounds })
  for (const seconds of [0, 0.001, 0.0011, 4, 31, 1000]) histograms.of('fetch').observe(seconds)
  const families = parseExposition(renderMetrics({ stageSeconds: histograms.samples() }))
  const cumulative = (le: string) =>
    sumSamples(families, `${definitions.stageSeconds.name}_bucket`, { stage: 'fetch', le })
  assert.deepEqual(['0.001', '0.0025', '2.5', '5', '30', '+Inf'].map(cumulative), [2, 3, 3, 4, 4, 6])
  assert.equal(sumSamples(families, `${definitions.stageSeconds.name}_count`), 6)
  assert.equal(sumSamples(families, `${definitions.stageSeconds.name}_sum`), 1035.0021)
})

test('metric names are unique and follow the rules of Prometheus', () => {
  const names = definitionList().map(([, { name }]) => name)
  assert.equal(new Set(names).size, names.length)
  for (const [, { name, type, bounds, labels }] of definitionList()) {
    assert.match(name, /^(?:menagerie|nodejs|process)_[a-z_]+$/)
    assert.equal(type === 'histogram', bounds.length > 0, name)
    assert.deepEqual(
      bounds,
      bounds.toSorted((a, b) => a - b),
    )
    assert.ok(!labels.includes('le'), name)
  }
})
