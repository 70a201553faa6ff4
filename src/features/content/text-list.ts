import { textItem } from './list.ts'
import type { Parsed } from './parsed.ts'
import type { Item, Problem } from './types.ts'
import { readUtf8 } from './utf8.ts'

const LONGEST_TEXT = 2000

/** A line an item; `#` starts a comment, `\#` an item that starts with #; blank lines are for the eye. */
export function readTextList(file: string, bytes: Buffer): Parsed<Item[]> {
  const text = readUtf8(file, bytes)
  if (text.value === undefined) return { problems: text.problems }
  const problems: Problem[] = []
  const lineOf = new Map<string, number>()
  let usable = true
  for (const [index, raw] of text.value.split('\n').entries()) {
    const trimmed = raw.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const line = index + 1
    const item = trimmed.startsWith('\\#') ? trimmed.slice(1) : trimmed
    const first = lineOf.get(item)
    if (/[\u0000-\u001f\u007f]/.test(item)) {
      usable = false
      problems.push({ file, line, rule: 'control-character', message: 'A text must not hold control characters.' })
    } else if (item.length > LONGEST_TEXT) {
      usable = false
      problems.push({ file, line, rule: 'length', message: `A text has at most ${LONGEST_TEXT} characters.` })
    } else if (first !== undefined) {
      problems.push({ file, line, rule: 'duplicate', message: `This text stands in line ${first} already.` })
    } else lineOf.set(item, line)
  }
  if (lineOf.size === 0) {
    usable = false
    problems.push({ file, rule: 'empty', message: 'The list holds no text; write one a line.' })
  }
  return usable ? { value: [...lineOf.keys()].map((text) => textItem(text)), problems } : { problems }
}
