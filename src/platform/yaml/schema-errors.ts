import type { TSchema } from 'typebox'
import Value from 'typebox/value'

type ValidatorError = ReturnType<typeof Value.Errors>[number]

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}

const joinNames = (names: readonly string[]) => names.map((name) => `"${name}"`).join(' and ')

/** Completes "<field> …" in plain words. */
export function describeSchemaError({ keyword, params, message }: ValidatorError): string {
  const { type, limit, allowedValues, requiredProperties } = params as {
    type: string
    limit: number
    allowedValues: readonly unknown[]
    requiredProperties: readonly string[]
  }
  switch (keyword as string) {
    case 'type':
      return `must be ${typeNames[type] ?? type}`
    case 'enum':
      return `must be one of ${allowedValues.join(', ')}`
    case 'required':
      return `must have ${joinNames(requiredProperties)}`
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'minItems':
      return `must have at least ${limit} entries`
    case 'maxItems':
      return `must have at most ${limit} entries`
    case 'boolean':
      return 'is not a field of this request'
    default:
      return message
  }
}

/** The first error of a value, in plain words. `field` is empty for the value itself. Undefined: the value is valid. */
export function findSchemaError(schema: TSchema, value: unknown): { field: string; rule: string } | undefined {
  const errors = Value.Errors(schema, value)
  const [first] = errors
  if (!first) return undefined
  const field = first.instancePath.slice(1).replaceAll('/', '.')
  const isAlternative = ({ keyword, schemaPath, instancePath }: ValidatorError) =>
    keyword === 'type' && schemaPath.includes('/anyOf/') && instancePath === first.instancePath
  const alternatives = errors.filter(isAlternative)
  if (!isAlternative(first) || alternatives.length < 2) return { field, rule: describeSchemaError(first) }
  const types = alternatives.map(({ params }) => typeNames[(params as { type: string }).type])
  return { field, rule: `must be ${types.join(' or ')}` }
}
