import { type Static, type TObject, Type } from 'typebox'
import { Value } from 'typebox/value'
import { InvalidBody } from '../../errors/index.ts'

/**
 * Text that an operator will read in a terminal or a page: control characters could rewrite the screen, and marks that
 * turn the writing direction could make one name look like another.
 */
const UNSEEN = '\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff'

const text = (minLength: number, maxLength: number, unseen: string, rule: string) =>
  Type.String({
    minLength,
    maxLength,
    pattern: `^[^${unseen}]*$`,
    description: `text of ${minLength === 0 ? 'at most' : `${minLength} to`} ${maxLength} characters without ${rule}`,
  })

export const words = (minLength: number, maxLength: number) =>
  text(minLength, maxLength, `${UNSEEN}\\n`, 'line breaks and control characters')

export const lines = (minLength: number, maxLength: number) => text(minLength, maxLength, UNSEEN, 'control characters')

/** The input, trimmed and checked; unknown fields are left out. */
export function readWords<Schema extends TObject>(schema: Schema, input: unknown): Static<Schema> {
  const given = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
  const read = Object.entries(schema.properties).map(([field, rule]) => {
    const value = given[field]
    const trimmed = typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : value
    if (!Value.Check(rule, trimmed)) {
      const { description, minLength, maxLength } = rule as {
        description?: string
        minLength?: number
        maxLength?: number
      }
      throw new InvalidBody(`"${field}" must be ${description}.`, { field, min: minLength, max: maxLength })
    }
    return [field, trimmed]
  })
  return Object.fromEntries(read) as Static<Schema>
}
