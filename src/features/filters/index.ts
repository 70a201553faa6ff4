// To add a filter: one file in this folder and one line in the list.
import { InvalidParameter, StrengthNotANumber, StrengthOutOfRange } from '../../errors/index.ts'
import { blur } from './blur.ts'
import { contrast } from './contrast.ts'
import type { Filter } from './define-filter.ts'
import { dither565 } from './dither565.ts'
import { greyscale } from './greyscale.ts'
import { invert } from './invert.ts'
import { normalize } from './normalize.ts'

export { createKernels, type Filter, type Frame, type StrengthRange } from './define-filter.ts'

export const filters: readonly Filter[] = [blur, greyscale, contrast, invert, dither565, normalize]

/** Range and default of each filter that has a strength, as text. */
export const strengthRanges = filters
  .flatMap(({ name, strength }) =>
    strength ? [`${name} ${strength.min} to ${strength.max} (default: ${strength.default})`] : [],
  )
  .join(', ')

export const findFilter = (name: string): Filter | undefined => filters.find((filter) => filter.name === name)

/** One filter of a chain. */
export type Step = { readonly filter: string; readonly strength: number | undefined }

export const MAX_STEPS = 8

/** Parses `greyscale,blur:5`. Each step has its default strength if there is none. */
export function parseSteps(text: string): Step[] {
  const parts = text === '' ? [] : text.split(',')
  const rule = `up to ${MAX_STEPS} filters, such as greyscale,blur:5`
  if (parts.length > MAX_STEPS) throw new InvalidParameter('steps', rule)
  return parts.map((part) => {
    const [name = '', strength, ...rest] = part.trim().split(':')
    const filter = findFilter(name)
    if (rest.length > 0) throw new InvalidParameter('steps', rule)
    if (!filter) {
      const allowed = filters.map((filter) => filter.name)
      throw new InvalidParameter('steps', `a list of ${allowed.join(', ')}; there is no filter "${name}"`, { allowed })
    }
    return { filter: name, strength: parseStrength(filter, strength) }
  })
}

/** Decimal notation only: Number() alone would also accept '', ' 5 ' and 0x10. */
const DECIMAL = /^-?(\d+(\.\d+)?|\.\d+)(e[+-]?\d+)?$/i

/** Returns the default if there is no text, and undefined for a filter without strength. */
export function parseStrength({ strength }: Filter, text: string | undefined): number | undefined {
  if (!strength) return undefined
  if (text === undefined) return strength.default
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN
  const { min, max } = strength
  if (!Number.isFinite(value)) throw new StrengthNotANumber(min, max, strength.default)
  if (value < min || value > max) throw new StrengthOutOfRange(min, max)
  return value
}
