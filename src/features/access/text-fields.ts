import { type Static, type TObject, type TStringOptions, Type } from 'typebox'
import { Value } from 'typebox/value'
import { InvalidBody } from '../../errors/index.ts'

/**
 * Characters that are refused in text that an operator reads: control characters could rewrite a terminal, and
 * direction marks could make one name look like another.
 */
const FORBIDDEN = '\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff'

const text = (minLength: number, maxLength: number, forbidden: string, description: string) =>
  Type.String({ minLength, maxLength, pattern: `^[^${forbidden}]*$`, description })

export const singleLineText = (minLength: number, maxLength: number, description: string) =>
  text(minLength, maxLength, `${FORBIDDEN}\\n`, description)

export const multiLineText = (minLength: number, maxLength: number, description: string) =>
  text(minLength, maxLength, FORBIDDEN, description)

/** Completes the sentence "The field must be …". */
function describeRule({ minLength = 0, maxLength, pattern = '' }: TStringOptions): string {
  const length = minLength === 0 ? `at most ${maxLength}` : `${minLength} to ${maxLength}`
  const allowsLineBreaks = new RegExp(pattern).test('\n')
  return `text of ${length} characters without ${allowsLineBreaks ? '' : 'line breaks and '}control characters`
}

/** Trims and validates the fields of the schema. Unknown fields are dropped. */
export function parseTextFields<Schema extends TObject>(schema: Schema, input: unknown): Static<Schema> {
  const fields = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
  const parsed = Object.entries(schema.properties).map(([field, rule]) => {
    const value = fields[field]
    const trimmed = typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : value
    if (!Value.Check(rule, trimmed)) {
      const { minLength: min, maxLength: max } = rule as TStringOptions
      throw new InvalidBody(`"${field}" must be ${describeRule(rule as TStringOptions)}.`, { field, min, max })
    }
    return [field, trimmed]
  })
  return Object.fromEntries(parsed) as Static<Schema>
}
