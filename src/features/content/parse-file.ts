import { isUtf8 } from 'node:buffer'
import type { Validator } from 'typebox/compile'
import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { Problem } from '../../platform/logging/index.ts'

const MAX_PROBLEMS = 20
const NEWLINE = 0x0a

/** Without a value, the file has problems that make it unusable. */
export interface Parsed<T> {
  value?: T
  problems: Problem[]
}

/** Removes a byte order mark. The problem names the first line that is not UTF-8. */
export function parseUtf8(file: string, bytes: Buffer): Parsed<string> {
  if (isUtf8(bytes)) return { value: bytes.toString('utf8').replace(/^\ufeff/, ''), problems: [] }
  let line = 1
  for (let start = 0; ; line++) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) break
    start = end + 1
  }
  return { problems: [{ file, line, rule: 'utf-8', message: 'This line is not valid UTF-8. Save the file as UTF-8.' }] }
}

/** Parses YAML that must match a schema; every problem names its line. */
export function parseYaml<T>(file: string, bytes: Buffer, schema: Pick<Validator, 'Check' | 'Errors'>): Parsed<T> {
  const text = parseUtf8(file, bytes)
  if (text.value === undefined) return { problems: text.problems }
  const lineCounter = new LineCounter()
  const document = parseDocument(text.value, { lineCounter, prettyErrors: false })
  const lineAt = (offset: number) => lineCounter.linePos(offset).line
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message, pos }) => ({ file, line: lineAt(pos[0]), rule: 'yaml', message }))
    return { problems: problems.slice(0, MAX_PROBLEMS) }
  }
  const value = toPlainValue(document)
  if (schema.Check(value)) return { value: value as T, problems: [] }
  const problems = schema
    .Errors(value)
    .filter(({ keyword }) => keyword !== 'additionalProperties')
    .map(({ instancePath, keyword, message }) => {
      const path = instancePath.split('/').slice(1).map(unescapePointer)
      const rule = keyword === 'boolean' ? 'unknown-field' : keyword
      const text = keyword === 'boolean' ? 'is not a field here' : message
      return {
        file,
        line: lineAt(findOffset(document, path)),
        rule,
        message: `${path.join(' → ') || 'The file'} ${text}.`,
      }
    })
  return { problems: problems.slice(0, MAX_PROBLEMS) }
}

// Too many aliases (the "billion laughs" attack) throw only here.
function toPlainValue(document: Document.Parsed): unknown {
  try {
    return document.toJS()
  } catch {
    return undefined
  }
}

const unescapePointer = (segment: string) => segment.replaceAll('~1', '/').replaceAll('~0', '~')

/** The start of the value at `path`, or of its nearest parent. */
function findOffset(document: Document.Parsed, path: string[]): number {
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
