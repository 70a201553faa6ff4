/** As much of JSON Schema as our own schemas use. */
export interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean
  readonly required?: readonly string[]
  readonly description?: string
}

/** Whether the enum of a property may have values that the document does not know of. */
type IsOpen = (property: string) => boolean

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

const literal = (value: unknown) => JSON.stringify(value)

/** A schema as a TypeScript type. */
export function typeOf(schema: Schema, isOpen: IsOpen = () => false, property = ''): string {
  const { type = '', items, anyOf } = schema
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) {
    const values = schema.enum.map(literal).join(' | ')
    return isOpen(property) ? `Open<${values}>` : values
  }
  if (anyOf) return anyOf.map((part) => typeOf(part, isOpen, property)).join(' | ')
  if (type === 'array') return `readonly (${items ? typeOf(items, isOpen) : 'unknown'})[]`
  if (type === 'object') return objectType(schema, isOpen)
  return PLAIN[type] ?? 'unknown'
}

function objectType(schema: Schema, isOpen: IsOpen): string {
  const { properties = {}, patternProperties = {}, required = [] } = schema
  const [pattern] = Object.values(patternProperties)
  if (pattern) return `Readonly<Record<string, ${typeOf(pattern, isOpen)}>>`
  const fields = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description ? `/** ${schema.description.replaceAll('*/', '* /')} */\n` : ''
    const optional = required.includes(name) ? '' : '?'
    return `${comment}readonly ${literal(name)}${optional}: ${typeOf(schema, isOpen, name)}`
  })
  if (fields.length > 0) return `{\n${fields.join('\n')}\n}`
  return schema.additionalProperties ? 'Readonly<Record<string, unknown>>' : 'Nothing'
}
