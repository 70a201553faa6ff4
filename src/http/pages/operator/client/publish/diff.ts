import { element } from '../../../shared/client/dom.ts'

const MAX_LINES = 400

const classes: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed' }

/** Lines that start with "+" or "-", as text. */
export function renderDiff(text: string, label: string): HTMLElement {
  const lines = text.split('\n')
  const shown = lines
    .slice(0, MAX_LINES)
    .map((line) => element('span', { className: classes[line[0] ?? ''] ?? '' }, `${line}\n`))
  const more = lines.length > MAX_LINES ? [`… ${lines.length - MAX_LINES} more lines`] : []
  return element('pre', { className: 'diff', tabIndex: 0, role: 'region', ariaLabel: label }, ...shown, ...more)
}
