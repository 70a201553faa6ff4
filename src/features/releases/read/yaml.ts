import type { Static, TSchema } from 'typebox'
import Value from 'typebox/value'
import { type Document, isAlias, isNode, LineCounter, parseDocument, visit } from 'yaml'
import type { Problem, Read } from './problem.ts'

// Enough to mend a file by; a file that is wrong everywhere need not fill the log.
const MAX_PROBLEMS = 20

type Found = { at: number; rule: string; message: string }

/** A rule that a schema cannot say: about which place in the value, and what is wrong there. */
export type Fault = { path: (string | number)[]; rule: string; message: string }

export interface Shape<Schema extends TSchema> {
  readonly schema: Schema
  readonly faults?: (value: Static<Schema>) => Fault[]
}

/** `firstLine` is where the text begins in its file (front matter does not begin at 1). */
export function readYaml<Schema extends TSchema>(
  text: string,
  { schema, faults = () => [] }: Shape<Schema>,
  file: string,
  firstLine = 1,
): Read<Static<Schema>> {
  const lines = new LineCounter()
  const document = parseYaml(text, lines)
  const told = (found: Found[]): Problem[] =>
    found.slice(0, MAX_PROBLEMS).map(({ at, rule, message }) => ({
      file,
      line: Math.max(lines.linePos(at).line, 1) + firstLine - 1,
      rule,
      message,
    }))
  const broken = syntaxFaults(document)
  if (broken.length > 0) return { problems: told(broken) }
  const value: unknown = document.toJS({ maxAliasCount: 0 }) ?? {}
  if (!Value.Check(schema, value)) return { problems: told(schemaFaults(document, schema, value)) }
  const wrong = faults(value).map(({ path, rule, message }) => ({ at: offsetOf(document, path), rule, message }))
  return wrong.length > 0 ? { problems: told(wrong) } : { value, problems: [] }
}

export const parseYaml = (text: string, lineCounter?: LineCounter) =>
  // Without stringKeys the key 2 of a tier would be a number, and a map could be a key.
  parseDocument(text, {
    stringKeys: true,
    prettyErrors: false,
    ...(lineCounter && { lineCounter }),
  })

function syntaxFaults(document: Document.Parsed): Found[] {
  const found = [...document.errors, ...document.warnings].map(({ pos, code, message }) => ({
    at: pos[0],
    rule: code === 'DUPLICATE_KEY' ? 'duplicate-key' : 'yaml',
    message,
  }))
  // An alias can stand for a value that itself holds aliases: a kilobyte that grows to gigabytes.
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node) && !node.anchor) return undefined
      found.push({ at: node.range?.[0] ?? 0, rule: 'alias', message: 'Anchors and aliases are not allowed here' })
      return visit.BREAK
    },
  })
  return found
}

function schemaFaults(document: Document.Parsed, schema: TSchema, value: unknown): Found[] {
  const found = Value.Errors(schema, value).flatMap(({ keyword, instancePath, params, message }) => {
    const path = instancePath.split('/').slice(1).map(unescapePointer)
    // TypeBox tells of an unknown field twice: as a field that is false, and from its parent.
    if (keyword === 'boolean') return []
    if (keyword === 'additionalProperties') {
      const { additionalProperties } = params as { additionalProperties: string[] }
      return additionalProperties.map((name) => ({
        at: offsetOf(document, [...path, name]),
        rule: 'unknown-field',
        message: `"${name.slice(0, 64)}" is not a field of ${whole(path)}`,
      }))
    }
    if (keyword === 'required') {
      const { requiredProperties } = params as { requiredProperties: string[] }
      const lacking = requiredProperties.map((name) => `"${name}"`).join(' and ')
      return [{ at: offsetOf(document, path), rule: keyword, message: `${whole(path)} lacks ${lacking}` }]
    }
    const rule = keyword === '~refine' ? ruleOf(path) : keyword
    return [{ at: offsetOf(document, path), rule, message: `${whole(path)} ${message}` }]
  })
  return found.sort((a, b) => a.at - b.at)
}

/** A rule is named after its field; one about a whole entry of a list has only a number. */
const ruleOf = (path: string[]) => (/^\d+$/.test(path.at(-1) ?? '') ? 'entry' : (path.at(-1) ?? 'file'))
const unescapePointer = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')
const whole = (path: string[]) => (path.length === 0 ? 'the file' : `"${path.join('.').slice(0, 200)}"`)

function offsetOf(document: Document.Parsed, path: (string | number)[]): number {
  for (let depth = path.length; depth > 0; depth--) {
    const node = document.getIn(path.slice(0, depth), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}
