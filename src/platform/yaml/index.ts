// Parses a YAML file against a schema, and reports problems with file, line and rule.
import { load } from 'js-yaml'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import Value from 'typebox/value'
import { type Document, isAlias, isNode, LineCounter, parseDocument, type Scalar, visit } from 'yaml'
import type { FileReading } from '../files/index.ts'
import type { Problem } from '../logging/index.ts'

/** Enough to repair a file. A file that is wrong everywhere must not fill the log. */
const MAX_PROBLEMS = 20
/** Smaller files are parsed in a few milliseconds. */
const MIN_LARGE_LENGTH = 64 * 1024

/** Either a value, or the problems that prevent one. */
export type ParseResult<T> = FileReading<T, Problem>

export const failParsing = (file: string, line: number, rule: string, message: string): ParseResult<never> => ({
  problems: [{ file, line, rule, message }],
})

/** An error that a schema cannot express, at a path in the value. */
export interface RuleError {
  readonly path: (string | number)[]
  readonly rule: string
  readonly message: string
}

interface LocatedError extends Omit<RuleError, 'path'> {
  readonly offset: number
}

interface ParseOptions<T> {
  readonly allowsAliases?: boolean
  readonly findErrors?: (value: T) => RuleError[]
  /** The line of the file where the text starts. */
  readonly firstLine?: number
}

export function parseYamlFile<Schema extends TSchema>(
  file: string,
  text: string,
  schema: Schema,
  { allowsAliases = false, findErrors = () => [], firstLine = 1 }: ParseOptions<Static<Schema>> = {},
): ParseResult<Static<Schema>> {
  const large = text.length < MIN_LARGE_LENGTH ? undefined : parseLargeYaml(text)
  if (large !== undefined && Compile(schema).Check(large) && findErrors(large).length === 0)
    return { value: large, problems: [] }
  const lines = new LineCounter()
  const document = parseYaml(text, lines)
  const toProblems = (errors: LocatedError[]): Problem[] =>
    errors.slice(0, MAX_PROBLEMS).map(({ offset, rule, message }) => ({
      file,
      line: Math.max(lines.linePos(offset).line, 1) + firstLine - 1,
      rule,
      message,
    }))
  const syntaxErrors = findSyntaxErrors(document)
  if (!allowsAliases) syntaxErrors.push(...findAliases(document))
  if (syntaxErrors.length > 0) return { problems: toProblems(syntaxErrors) }
  const value = toPlainValue(document)
  if (!Value.Check(schema, value)) return { problems: toProblems(findSchemaErrors(document, schema, value)) }
  const errors = findErrors(value).map(({ path, ...error }) => ({ ...error, offset: findOffset(document, path) }))
  return errors.length > 0 ? { problems: toProblems(errors) } : { value, problems: [] }
}

/**
 * js-yaml takes an eighth of the time, but knows no positions. Undefined if the text has errors or anchors: the other
 * parser then reports them with their lines. js-yaml would accept an anchor that nothing uses.
 */
function parseLargeYaml(text: string): unknown {
  if (/(?:^|[\s,:[{-])&\S/m.test(text)) return undefined
  try {
    return load(text, { maxAliases: 0 })
  } catch {
    return undefined
  }
}

export const parseYaml = (text: string, lineCounter?: LineCounter) =>
  // Without stringKeys the key 2 of a tier would be a number, and a map could be a key. With uniqueKeys, each key would be
  // compared with all others: 20,000 credits would take ten seconds.
  parseDocument(text, {
    stringKeys: true,
    uniqueKeys: false,
    prettyErrors: false,
    ...(lineCounter && { lineCounter }),
  })

const findSyntaxErrors = (document: Document.Parsed): LocatedError[] => [
  ...[...document.errors, ...document.warnings].map(({ pos, message }) => ({ offset: pos[0], rule: 'yaml', message })),
  ...findRepeatedKeys(document),
]

function findRepeatedKeys(document: Document.Parsed): LocatedError[] {
  const errors: LocatedError[] = []
  visit(document, {
    Map: (_, { items }) => {
      const names = new Set<unknown>()
      for (const { key } of items) {
        const { value, range } = key as Scalar.Parsed
        if (names.has(value))
          errors.push({ offset: range[0], rule: 'duplicate-key', message: 'Map keys must be unique' })
        names.add(value)
      }
    },
  })
  return errors
}

function findAliases(document: Document.Parsed): LocatedError[] {
  const errors: LocatedError[] = []
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node) && !node.anchor) return undefined
      errors.push({ offset: node.range?.[0] ?? 0, rule: 'alias', message: 'Anchors and aliases are not allowed' })
      return visit.BREAK
    },
  })
  return errors
}

/** Undefined for too many aliases: nested ones can expand one kilobyte to gigabytes ("billion laughs"). */
function toPlainValue(document: Document.Parsed): unknown {
  try {
    return document.toJS() ?? {}
  } catch {
    return undefined
  }
}

function findSchemaErrors(document: Document.Parsed, schema: TSchema, value: unknown): LocatedError[] {
  const errors = Value.Errors(schema, value).flatMap((error) => {
    const { keyword, instancePath } = error
    const path = instancePath.split('/').slice(1).map(unescapePointer)
    const offset = findOffset(document, path)
    // TypeBox reports an unknown field twice: as a field of the schema `false`, and as an error of its parent. The latter
    // comes last, and TypeBox ends after eight errors.
    if (keyword === 'additionalProperties') return []
    if (keyword === 'boolean') {
      const message = `${describePath(path.slice(0, -1))} has an unknown field "${path.at(-1)?.slice(0, 64)}"`
      return [{ offset, rule: 'unknown-field', message }]
    }
    const rule = keyword === '~refine' ? nameRule(path) : keyword
    return [{ offset, rule, message: `${describePath(path)} ${describeSchemaError(error)}` }]
  })
  return errors.sort((a, b) => a.offset - b.offset)
}

/** Names the rule of a refinement after its field; "entry" for an entry of a list, "file" for the whole file. */
const nameRule = (path: string[]) => (/^\d+$/.test(path.at(-1) ?? '') ? 'entry' : (path.at(-1) ?? 'file'))
const unescapePointer = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')
const describePath = (path: string[]) => (path.length === 0 ? 'The file' : `"${path.join('.').slice(0, 200)}"`)

/** The position of the value at a path, or of the nearest parent that exists. */
function findOffset(document: Document.Parsed, path: (string | number)[]): number {
  for (let depth = path.length; depth > 0; depth--) {
    const node = document.getIn(path.slice(0, depth), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}

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

interface ErrorParams {
  readonly type: string
  readonly limit: number
  readonly allowedValues: readonly unknown[]
  readonly requiredProperties: readonly string[]
  readonly pattern: string
}

const patternRules = new Map<string, string>()

/** A pattern for a schema, with the rule that its errors state instead: it completes "<field> …" in plain words. */
export function describePattern(pattern: string, rule: string): string {
  patternRules.set(pattern, rule)
  return pattern
}

/** By keyword of the schema. Each completes "<field> …" in plain words. */
const descriptions: Readonly<Record<string, (params: ErrorParams) => string>> = {
  type: ({ type }) => `must be ${typeNames[type] ?? type}`,
  enum: ({ allowedValues }) => `must be one of ${allowedValues.join(', ')}`,
  required: ({ requiredProperties }) => `must have ${joinNames(requiredProperties)}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minItems: ({ limit }) => `must have at least ${limit} entries`,
  maxItems: ({ limit }) => `must have at most ${limit} entries`,
  boolean: () => 'is not a known field',
  pattern: ({ pattern }) => patternRules.get(pattern) ?? `must match the pattern ${pattern}`,
}

const describeSchemaError = ({ keyword, params, message }: ValidatorError) =>
  descriptions[keyword]?.(params as unknown as ErrorParams) ?? message

type Fields = Readonly<Record<string, TSchema & { maxItems?: number; maxProperties?: number; properties?: Fields }>>

/** A field with too many entries. Checked first: a hundred thousand entries take seconds to validate. */
function findTooLong(fields: Fields, value: object, path = ''): { field: string; rule: string } | undefined {
  for (const [
    name,
    { maxItems, maxProperties: limit = maxItems ?? Number.POSITIVE_INFINITY, properties },
  ] of Object.entries(fields)) {
    const entries = (value as Record<string, unknown>)[name]
    if (!(entries instanceof Object)) continue
    if (Object.keys(entries).length > limit) return { field: path + name, rule: `must have at most ${limit} entries` }
    const inside = properties && findTooLong(properties, entries, `${path}${name}.`)
    if (inside) return inside
  }
  return undefined
}

/** The first error of a value, in plain words. `field` is empty for the value itself. Undefined: the value is valid. */
export function findSchemaError(schema: TSchema, value: unknown): { field: string; rule: string } | undefined {
  const tooLong = value instanceof Object && findTooLong((schema as { properties?: Fields }).properties ?? {}, value)
  if (tooLong) return tooLong
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
