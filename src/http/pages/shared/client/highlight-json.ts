const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?|\b(?:true|false|null)\b/g

const highlighted = new WeakMap<Node, [Highlight, Range][]>()

function highlight(name: string): Highlight {
  const existing = CSS.highlights.get(name)
  if (existing) return existing
  const created = new Highlight()
  CSS.highlights.set(name, created)
  return created
}

/** Colours JSON with the CSS Custom Highlight API, where the browser has it. */
export function highlightJson(code: HTMLElement): void {
  const text = code.firstChild
  if (!('highlights' in CSS) || !text) return
  for (const [from, range] of highlighted.get(code) ?? []) from.delete(range)
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
  highlighted.set(code, ranges)
}
