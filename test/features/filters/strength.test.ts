import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { StrengthNotANumber, StrengthOutOfRange } from '../../../src/errors/index.ts'
import { filters, findFilter, parseStrength } from '../../../src/features/filters/index.ts'

const blur = findFilter('blur')!
const contrast = findFilter('contrast')!
const invert = findFilter('invert')!

test('the filters and their strength ranges match the API contract', () => {
  assert.deepEqual(
    filters.map(({ name, strength }) => [name, strength]),
    [
      ['blur', { min: 1, max: 256, default: 5 }],
      ['greyscale', undefined],
      ['contrast', { min: -1, max: 1, default: 0.1 }],
      ['invert', undefined],
      ['dither565', undefined],
      ['normalize', undefined],
    ],
  )
  assert.equal(findFilter('sepia'), undefined)
  assert.equal(findFilter('constructor'), undefined)
})

for (const text of [
  '',
  ' ',
  'abc',
  'NaN',
  'Infinity',
  '-Infinity',
  '1e400',
  '0x10',
  ' 5 ',
  '5px',
  '1,5',
  '٥',
  '--1',
  '1_0',
]) {
  test(`the strength ${JSON.stringify(text)} is not a number`, () => {
    assert.throws(() => parseStrength(blur, text), StrengthNotANumber)
    assert.throws(() => parseStrength(contrast, text), StrengthNotANumber)
  })
}

test('the error for an invalid strength names a valid example', () => {
  assert.throws(() => parseStrength(blur, 'abc'), /from 1 to 256, such as 5\./)
  assert.throws(() => parseStrength(contrast, 'abc'), /from -1 to 1, such as 0\.1\./)
})

test('a strength outside the range is refused with the range', () => {
  for (const text of ['0', '0.999', '256.5', '257', '-5', '1e9']) {
    assert.throws(() => parseStrength(blur, text), new StrengthOutOfRange(1, 256))
  }
  for (const text of ['-1.0000001', '1.0000001', '2']) {
    assert.throws(() => parseStrength(contrast, text), new StrengthOutOfRange(-1, 1))
  }
})

test('a strength within the range is accepted', () => {
  assert.equal(parseStrength(blur, '1'), 1)
  assert.equal(parseStrength(blur, '256'), 256)
  assert.equal(parseStrength(blur, '2.5'), 2.5)
  assert.equal(parseStrength(contrast, '-1'), -1)
  assert.equal(parseStrength(contrast, '.5'), 0.5)
  assert.equal(parseStrength(contrast, '1e-1'), 0.1)
})

test('the default strength applies, and a filter without strength ignores it', () => {
  assert.equal(parseStrength(blur, undefined), 5)
  assert.equal(parseStrength(contrast, undefined), 0.1)
  assert.equal(parseStrength(invert, undefined), undefined)
  assert.equal(parseStrength(invert, 'abc'), undefined)
})

test('any text gives a number within the range or one of two errors', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String)), (text) => {
      try {
        const value = parseStrength(contrast, text)!
        assert.ok(value >= -1 && value <= 1)
      } catch (error) {
        assert.ok(error instanceof StrengthNotANumber || error instanceof StrengthOutOfRange)
      }
    }),
  )
})
