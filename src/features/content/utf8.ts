import { isUtf8 } from 'node:buffer'
import type { Parsed } from './parsed.ts'

const NEWLINE = 0x0a

/** The text of a file, or the line in which it stops being UTF-8. A byte order mark is left out. */
export function readUtf8(file: string, bytes: Buffer): Parsed<string> {
  if (isUtf8(bytes)) return { value: bytes.toString('utf8').replace(/^\ufeff/, ''), problems: [] }
  let line = 1
  for (let start = 0; ; line++) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) break
    start = end + 1
  }
  return { problems: [{ file, line, rule: 'utf-8', message: 'This line is not valid UTF-8; save the file as UTF-8.' }] }
}
