const CONTEXT = 2

/** One block from the first to the last line that differs: enough for edits that touch one place. */
export function lineDiff(before: string, after: string): string {
  const old = before.split('\n')
  const now = after.split('\n')
  let head = 0
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head++
  let tail = 0
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const marked = (mark: string, lines: string[]) => lines.map((line) => `${mark}${line}`)
  return [
    ...marked(' ', old.slice(Math.max(0, head - CONTEXT), head)),
    ...marked('-', old.slice(head, old.length - tail)),
    ...marked('+', now.slice(head, now.length - tail)),
    ...marked(' ', old.slice(old.length - tail, old.length - tail + CONTEXT)),
  ]
    .join('\n')
    .trimEnd()
}
