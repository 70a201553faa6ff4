// Writes a snapshot as Prometheus reads it.
import { type Definition, definitionList } from './definitions.ts'
import type { Distribution, Sample, Snapshot } from './snapshot.ts'

export type Format = 'text' | 'openmetrics'

/** What each format is called in `Accept` and in `Content-Type`. */
export const formats = {
  text: { type: 'text/plain', contentType: 'text/plain; version=0.0.4; charset=utf-8' },
  openmetrics: {
    type: 'application/openmetrics-text',
    contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  },
} as const satisfies Record<Format, { type: string; contentType: string }>

/** Metrics without a sample are named, too: an operator sees all there are. */
export function render(snapshot: Snapshot, format: Format = 'text'): string {
  let text = ''
  for (const [metric, definition] of definitionList()) {
    const { name, type, help } = definition
    const family = format === 'openmetrics' ? name.replace(/_total$/, '') : name
    text += `# HELP ${family} ${escaped(help, format === 'openmetrics')}\n# TYPE ${family} ${type}\n`
    for (const sample of snapshot[metric] ?? []) text += lines(definition, sample, format)
  }
  return format === 'openmetrics' ? `${text}# EOF\n` : text
}

function lines({ name, labels: names, bounds }: Definition, [values, value]: Sample, format: Format): string {
  const labels = names.map((label, i) => `${label}="${escaped(values[i] ?? '', true)}"`)
  if (typeof value === 'number') return `${name}${braces(labels)} ${value}\n`
  return bucketLines(name, labels, value, bounds, format)
}

function bucketLines(
  name: string,
  labels: readonly string[],
  { counts, sum }: Distribution,
  bounds: readonly number[],
  format: Format,
): string {
  let below = 0
  let text = ''
  for (const [i, count] of counts.entries()) {
    below += count
    text += `${name}_bucket${braces([...labels, `le="${boundOf(bounds[i], format)}"`])} ${below}\n`
  }
  return `${text}${name}_sum${braces(labels)} ${sum}\n${name}_count${braces(labels)} ${below}\n`
}

const braces = (labels: readonly string[]) => (labels.length > 0 ? `{${labels.join(',')}}` : '')

/** OpenMetrics wants every bound to look like a float. */
function boundOf(bound: number | undefined, format: Format): string {
  if (bound === undefined) return '+Inf'
  return format === 'openmetrics' && Number.isInteger(bound) ? `${bound}.0` : String(bound)
}

const escaped = (text: string, quotes: boolean) => {
  const plain = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  return quotes ? plain.replaceAll('"', '\\"') : plain
}
