import type { Validator } from 'typebox/compile'
import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { Parsed } from './parsed.ts'
import { readUtf8 } from './utf8.ts'

const MAX_PROBLEMS = 20

type Path = string[]

/** Reads YAML that must fit a schema; every problem names the line where it is. */
export function readYaml<T>(file: string, bytes: Buffer, schema: Pick<Validator, 'Check' | 'Errors'>): Parsed<T> {
  const text = readUtf8(file, bytes)
  if (text.value === undefined) return { problems: text.problems }
  const lineCounter = new LineCounter()
  const document = parseDocument(text.value, { lineCounter, prettyErrors: false })
  const lineAt = (offset: number) => lineCounter.linePos(offset).line
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message, pos }) => ({ file, line: lineAt(pos[0]), rule: 'yaml', message }))
    return { problems: problems.slice(0, MAX_PROBLEMS) }
  }
  const value = plainValue(document)
  if (schema.Check(value)) return { value: value as T, problems: [] }
  const problems = schema
    .Errors(value)
    .filter(({ keyword }) => keyword !== 'additionalProperties')
    .map(({ instancePath, keyword, message }) => {
      const path = instancePath.split('/').slice(1).map(unescapePointer)
      const rule = keyword === 'boolean' ? 'unknown-field' : keyword
      const what = keyword === 'boolean' ? 'is not a field here' : message
      return {
        file,
        line: lineAt(offsetOf(document, path)),
        rule,
        message: `${path.join(' → ') || 'The file'} ${what}.`,
      }
    })
  return { problems: problems.slice(0, MAX_PROBLEMS) }
}

// Too many aliases (a "billion laughs" file) throw only here.
function plainValue(document: Document.Parsed): unknown {
  try {
    return document.toJS()
  } catch {
    return undefined
  }
}

const unescapePointer = (segment: string) => segment.replaceAll('~1', '/').replaceAll('~0', '~')

/** Where the value under `path` starts, or the nearest thing around it. */
function offsetOf(document: Document.Parsed, path: Path): number {
  let node: unknown = document.contents
  let offset = document.contents?.range[0] ?? 0
  for (const segment of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === segment)
      if (!pair || !isScalar(pair.key)) break
      offset = pair.key.range?.[0] ?? offset
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(segment)]
      offset = (node as { range?: [number, number, number] } | undefined)?.range?.[0] ?? offset
    } else break
  }
  return offset
}
