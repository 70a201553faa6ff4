// Examples of replies in the API reference.
import type { TSchema } from 'typebox'
import { buildErrorBody } from './error-replies.ts'
import type { ErrorDefinition } from './route.ts'

/** The parts of JSON Schema that matter here. */
interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
}

/** Composes an example from the `examples` of a schema and its parts. Optional fields without examples are left out. */
export const composeExample = (schema: TSchema): unknown => compose(schema as Schema)

function compose(schema: Schema): unknown {
  const { type, examples, anyOf, items, properties } = schema
  if (examples) return examples[0]
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  if (anyOf) return anyOf.map(compose).find((value) => value !== undefined)
  if (type === 'null') return null
  if (type === 'boolean') return false
  if (type === 'array') {
    const item = items && compose(items)
    return item === undefined ? undefined : [item]
  }
  if (type !== 'object' || Object.keys(properties ?? {}).length === 0) return undefined
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, compose(field)] as const)
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

export const buildErrorExample = (error: ErrorDefinition) => buildErrorBody(error.buildExample(), '5e0a1c9f3b27-418')
