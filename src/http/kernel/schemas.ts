import Type, { type TProperties, type TSchema } from 'typebox'

/** The start of absolute URLs in examples. */
export const EXAMPLE_BASE = 'https://menagerie.example'

/**
 * A successful reply: `success`, `status` and more properties. In the OpenAPI document it is named after its operation;
 * one that several operations have needs a name (`component`).
 */
export const SuccessReply = <Properties extends TProperties>(
  properties: Properties,
  { status = 200, ...options }: { status?: number; component?: string } = {},
) => Type.Object({ success: Type.Literal(true), status: Type.Literal(status), ...properties }, options)

/** An enum whose values change while the service runs; OpenAPI and error messages read the current ones. */
export const CurrentEnum = (read: () => readonly string[], description: string) =>
  Type.Unsafe<string>({
    description,
    get enum() {
      return read()
    },
  })

export const OrNull = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

type IntegerRange = { readonly minimum: number; readonly maximum?: number; readonly default: number }

/** A query parameter. Its description ends with the default. */
export const IntegerParameter = (description: string, range: IntegerRange) =>
  Type.Integer({ ...range, description: `${description} Default: ${range.default}.` })

export const Text = (description: string, ...examples: readonly string[]) =>
  Type.String({ description, ...(examples.length > 0 && { examples }) })
export const Count = Type.Integer({ minimum: 0, examples: [12] })
export const CountOf = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] })
/** An object whose fields the reference does not list. */
export const AnyFields = (options: { description?: string; examples?: object[] }) =>
  Type.Object({}, { additionalProperties: true, ...options })
export const Sha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256, hexadecimal.',
  examples: ['bc0a88309eec89a128b52ba931169d62254f81288fb91ee4d26b02a3d7639b6d'],
})
export const Timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC.',
  examples: ['2026-12-01T09:30:00.000Z'],
})
export const Day = Type.String({ format: 'date', description: 'Day in UTC.', examples: ['2026-12-01'] })
export const Bytes = Type.Integer({ minimum: 0, description: 'Size in bytes.', examples: [10_052] })

export const ErrorReply = Type.Object(
  {
    success: Type.Literal(false),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    code: Type.String({ description: 'Stable error code, for programs.' }),
    message: Type.String({ description: 'What is wrong and how to fix it, for people. The text may change.' }),
    requestId: Type.String({ description: 'Id of this request. Quote it when you contact the operator.' }),
  },
  {
    description: 'The body of every error. Some errors have more fields, such as allowed, min, max and retryAfter.',
    additionalProperties: true,
  },
)

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
