import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { InvalidParameter, RepeatedParameter } from '../../errors/index.ts'
import type { Fields } from './route.ts'

type Raw = Record<string, string | string[] | undefined>
export type QueryReader = (raw: Raw) => Record<string, unknown>

/** Compiled once a route; undefined where a route declares no parameter, so that it costs nothing. */
export function createQueryReader(fields: Fields | undefined): QueryReader | undefined {
  if (!fields) return undefined
  const readers = Object.entries(fields).map(([name, schema]) => ({ name, read: fieldReader(name, schema) }))
  return (raw) => {
    const values: Record<string, unknown> = {}
    for (const { name, read } of readers) {
      const given = raw[name]
      if (given === undefined) continue
      if (typeof given !== 'string') throw new RepeatedParameter(name)
      values[name] = read(given)
    }
    return values
  }
}

// Number() would also take '', ' 5 ', '0x10' and 'Infinity'.
const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/

function fieldReader(name: string, schema: TSchema): (text: string) => unknown {
  // A room with errors of its own for this parameter reads it itself.
  if ((schema as Described).readAs === 'text') return (text) => text
  const { type } = schema as Described
  const numeric = type === 'integer' || type === 'number'
  const { rule, facts } = ruleOf(schema)
  const compiled = Compile(schema)
  return (text) => {
    const value = numeric ? (NUMBER.test(text) ? Number(text) : Number.NaN) : text
    if (!compiled.Check(value)) throw new InvalidParameter(name, rule, facts)
    return value
  }
}

interface Described {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly rule?: string
  readonly readAs?: 'text'
}

/** The schema in words; a schema with a pattern says its own `rule`. */
function ruleOf(schema: TSchema): { rule: string; facts: Record<string, unknown> } {
  const { type, enum: allowed, minimum: min, maximum: max, maxLength, minLength = 0, rule } = schema as Described
  if (rule) return { rule, facts: {} }
  if (allowed) return { rule: `one of ${allowed.join(', ')}`, facts: { allowed } }
  const range = max === undefined ? `not below ${min}` : `from ${min} to ${max}`
  if (type === 'integer') return { rule: `a whole number ${range}`, facts: { min, max } }
  if (type === 'number') return { rule: `a number ${range}`, facts: { min, max } }
  return { rule: `text of ${minLength} to ${maxLength} characters`, facts: { min: minLength, max: maxLength } }
}
