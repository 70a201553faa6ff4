// The parts of the OpenAPI document that operations share: `components`, and references into them.
import type { TSchema } from 'typebox'

type Json = Readonly<Record<string, unknown>>
export type Reference = { readonly $ref: string }

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Json
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters: readonly (Parameter | Reference)[]
  readonly [field: string]: unknown
}

/** Keys of our schemas that are no part of JSON Schema. */
const OWN_KEYS = ['component', 'rule', 'readAs', 'isRequired']
/** Keys whose values are data, although they may look like schemas. */
const DATA_KEYS = ['examples', 'default', 'const', 'enum', 'required']
/** What TypeBox writes for keys of any text. */
const ANY_KEY = '^.*$'

type Section = 'schemas' | 'responses'
export type Components = ReturnType<typeof createComponents>

export function createComponents() {
  const sections: Record<Section, Record<string, unknown>> = { schemas: {}, responses: {} }
  /** The schemas that were added, by name. */
  const added = new Map<string, TSchema>()
  /** By the values that they are built from. */
  const builtResponses = new Map<string, Reference>()

  function add(section: Section, name: string, value: unknown): Reference {
    const known = sections[section][name]
    // isDeepStrictEqual took 19 ms of CPU time at each start of the service.
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(value))
      throw new Error(`Two different ${section} of the OpenAPI document are called ${name}.`)
    sections[section][name] ??= value
    return refer(section, name)
  }

  /** Builds a response once: most operations have the same errors. `key` states all values that it is built from. */
  function buildResponse(key: string, build: () => { name: string; response: Json }): Reference {
    const known = builtResponses.get(key)
    if (known) return known
    const { name, response } = build()
    const reference = add('responses', name, response)
    builtResponses.set(key, reference)
    return reference
  }

  /** A schema as JSON. Parts with the key `component` become references. */
  function describeSchema(schema: TSchema): Json | Reference {
    const { component } = schema as { component?: string }
    return component === undefined ? describeKeys(schema as Json) : addSchema(schema, component)
  }

  /** Refers to the schema by the name that it has, or else by this one. */
  function addSchema(schema: TSchema, name: string): Reference {
    const { component = name } = schema as { component?: string }
    if (added.get(component) === schema) return refer('schemas', component)
    added.set(component, schema)
    return add('schemas', component, describeKeys(schema as Json))
  }

  function describeKeys(schema: Json): Json {
    const entries = Object.entries(schema).filter(([key]) => !OWN_KEYS.includes(key))
    const { patternProperties, ...described } = Object.fromEntries(
      entries.map(([key, value]) => [key, DATA_KEYS.includes(key) ? value : describeValue(key, value)]),
    )
    return { ...nameType(described), ...described, ...allowAnyKey(patternProperties as Json | undefined) }
  }

  function describeValue(key: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((part) => (part instanceof Object ? describeSchema(part) : part))
    if (!(value instanceof Object)) return value
    if (!/^(?:patternP|p)roperties$/.test(key)) return describeSchema(value as TSchema)
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, describeSchema(part as TSchema)]))
  }

  return {
    sections,
    describeSchema,
    addSchema,
    buildResponse,
    addResponse: (name: string, response: Json) => add('responses', name, response),
  }
}

const refer = (section: Section, name: string): Reference => ({ $ref: `#/components/${section}/${name}` })

/** Generators do not find out the type of an enum on their own. */
function nameType({ type, enum: values }: Json): Json {
  if (type !== undefined || !Array.isArray(values)) return {}
  return { type: values.every((value) => typeof value === 'number') ? 'integer' : 'string' }
}

/** Generators do not know `patternProperties`. */
const allowAnyKey = (patternProperties: Json | undefined): Json => {
  if (patternProperties === undefined) return {}
  const { [ANY_KEY]: values, ...others } = patternProperties
  return values === undefined || Object.keys(others).length > 0
    ? { patternProperties }
    : { additionalProperties: values }
}

/**
 * Moves the parameters that several operations have to `components`. One is called as it is in requests; if others have
 * the same name, they are called after the first operation that has them.
 */
export function shareParameters(operations: readonly Operation[]) {
  const found = new Map<string, { parameter: Parameter; operations: Operation[] }>()
  for (const operation of operations) {
    for (const parameter of operation.parameters as readonly Parameter[]) {
      const key = JSON.stringify(parameter)
      const entry = found.get(key) ?? { parameter, operations: [] }
      found.set(key, entry)
      entry.operations.push(operation)
    }
  }
  const parameters: Record<string, Parameter> = {}
  const references = new Map<string, Reference>()
  for (const [key, { parameter, operations }] of found) {
    const [first, second] = operations
    if (!first || !second) continue
    const plainName = `${toPascalCase(parameter.name)}Parameter`
    const name = plainName in parameters ? toPascalCase(first.operationId) + plainName : plainName
    parameters[name] = parameter
    references.set(key, { $ref: `#/components/parameters/${name}` })
  }
  const share = (operation: Operation): Operation => ({
    ...operation,
    parameters: operation.parameters.map((parameter) => references.get(JSON.stringify(parameter)) ?? parameter),
  })
  return { parameters, share }
}

export const toPascalCase = (text: string) =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
