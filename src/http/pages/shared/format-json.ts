// Bundled into the page scripts, so it imports nothing.

const LINE = 48
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const escaped = (mark: string) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Indented JSON. Direction marks are escaped, because they would reorder the shown text. */
export const formatJson = (value: unknown): string => lines(value, '').replace(DIRECTION_MARKS, escaped)

/** Short values stay on one line. */
function lines(value: unknown, indent: string): string {
  const isList = Array.isArray(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const parts = Object.entries(value).map(([key, part]) =>
    isList ? lines(part, inner) : `${JSON.stringify(key)}: ${lines(part, inner)}`,
  )
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const short = `${open} ${parts.join(', ')} ${close}`
  if (indent !== '' && short.length <= LINE && !short.includes('\n')) return short
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}
