/** The parts of JSON Schema that our schemas use. */
export interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly required?: readonly string[]
  readonly description?: string
}

/** Whether the enum of a property may have further values that are not in the document. */
type IsOpen = (property: string) => boolean

const SIMPLE_TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

const toLiteral = (value: unknown) => JSON.stringify(value)

/** Formats a schema as a TypeScript type. */
export function formatType(schema: Schema, isOpen: IsOpen = () => false, property = ''): string {
  const { type = '', items, anyOf } = schema
  if ('const' in schema) return toLiteral(schema.const)
  if (schema.enum) {
    const values = schema.enum.map(toLiteral).join(' | ')
    return isOpen(property) ? `Open<${values}>` : values
  }
  if (anyOf) return [...new Set(anyOf.map((part) => formatType(part, isOpen, property)))].join(' | ')
  if (type === 'array') return `readonly (${items ? formatType(items, isOpen) : 'unknown'})[]`
  if (type === 'object') return formatObjectType(schema, isOpen)
  return SIMPLE_TYPES[type] ?? 'unknown'
}

function formatObjectType(schema: Schema, isOpen: IsOpen): string {
  const { properties = {}, additionalProperties, required = [] } = schema
  if (additionalProperties instanceof Object)
    return `Readonly<Record<string, ${formatType(additionalProperties, isOpen)}>>`
  const fields = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description ? `/** ${schema.description.replaceAll('*/', '* /')} */\n` : ''
    const optional = required.includes(name) ? '' : '?'
    return `${comment}readonly ${toLiteral(name)}${optional}: ${formatType(schema, isOpen, name)}`
  })
  if (fields.length > 0) return `{\n${fields.join('\n')}\n}`
  return additionalProperties ? 'Readonly<Record<string, unknown>>' : 'Nothing'
}
