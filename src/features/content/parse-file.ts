import { isUtf8 } from 'node:buffer'
import type { Static, TSchema } from 'typebox'
import { type ParseResult, parseYamlFile } from '../../platform/yaml/index.ts'

const NEWLINE = 0x0a
/** No request is answered meanwhile. A usual file of this size takes 0.1 s of CPU time, the worst one two seconds. */
const MAX_YAML_BYTES = 256 * 2 ** 10

/** Removes a byte order mark. The problem names the first line that is not UTF-8. */
export function parseUtf8(file: string, bytes: Buffer): ParseResult<string> {
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
export function parseYaml<S extends TSchema>(file: string, bytes: Buffer, schema: S): ParseResult<Static<S>> {
  if (bytes.length > MAX_YAML_BYTES) {
    const message = `A YAML file may have at most ${MAX_YAML_BYTES / 2 ** 10} KiB. Split it.`
    return { problems: [{ file, line: 1, rule: 'size', message }] }
  }
  const { value: text, problems } = parseUtf8(file, bytes)
  return text === undefined ? { problems } : parseYamlFile(file, text, schema, { allowsAliases: true })
}
