import { StrengthNotANumber, StrengthOutOfRange } from '../../errors/index.ts'
import type { Filter } from './define.ts'

/** As a person writes a number: Number() alone would also take '', ' 5 ' and 0x10. */
const DECIMAL = /^-?(\d+(\.\d+)?|\.\d+)(e[+-]?\d+)?$/i

/** The strength to filter with: the default where none is given; a filter that takes none ignores it. */
export function parseStrength({ strength }: Filter, text: string | undefined): number | undefined {
  if (!strength) return undefined
  if (text === undefined) return strength.default
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN
  const { min, max } = strength
  if (!Number.isFinite(value)) throw new StrengthNotANumber(min, max, strength.default)
  if (value < min || value > max) throw new StrengthOutOfRange(min, max)
  return value
}
