const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?|\b(?:true|false|null)\b/g

const painted = new WeakMap<Node, [Highlight, Range][]>()

function highlight(name: string): Highlight {
  const known = CSS.highlights.get(name)
  if (known) return known
  const made = new Highlight()
  CSS.highlights.set(name, made)
  return made
}

/** Colours JSON where the browser can do so without elements around each word. */
export function paintJson(code: HTMLElement): void {
  const text = code.firstChild
  if (!('highlights' in CSS) || !text) return
  for (const [from, range] of painted.get(code) ?? []) from.delete(range)
  const ranges: [Highlight, Range][] = []
  for (const match of (text.textContent ?? '').matchAll(TOKENS)) {
    const [token, string, colon] = match
    const range = new Range()
    range.setStart(text, match.index)
    range.setEnd(text, match.index + (string ?? token).length)
    const into = highlight(colon ? 'json-key' : string ? 'json-text' : 'json-value')
    into.add(range)
    ranges.push([into, range])
  }
  painted.set(code, ranges)
}
