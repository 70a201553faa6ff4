// Renders a snapshot in the text formats of Prometheus.
import { type Definition, definitionList } from './definitions.ts'
import type { Distribution, Sample, Snapshot } from './snapshot.ts'

/** The media types for `Accept` and `Content-Type`. */
export const formats = {
  text: { type: 'text/plain', contentType: 'text/plain; version=0.0.4; charset=utf-8' },
  openmetrics: {
    type: 'application/openmetrics-text',
    contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  },
}
type Format = keyof typeof formats

/** Includes metrics without samples, so that operators see all that exist. */
export function renderMetrics(snapshot: Snapshot, format: Format = 'text'): string {
  let text = ''
  for (const [metric, definition] of definitionList()) {
    const { name, type, help } = definition
    const family = format === 'openmetrics' ? name.replace(/_total$/, '') : name
    text += `# HELP ${family} ${escapeText(help, format === 'openmetrics')}\n# TYPE ${family} ${type}\n`
    for (const sample of snapshot[metric] ?? []) text += renderSample(definition, sample, format)
  }
  return format === 'openmetrics' ? `${text}# EOF\n` : text
}

function renderSample({ name, labels: names, bounds }: Definition, [values, value]: Sample, format: Format): string {
  const labels = names.map((label, i) => `${label}="${escapeText(values[i] ?? '', true)}"`)
  if (typeof value === 'number') return `${name}${formatLabels(labels)} ${value}\n`
  return renderBuckets(name, labels, value, bounds, format)
}

function renderBuckets(
  name: string,
  labels: readonly string[],
  { counts, sum }: Distribution,
  bounds: readonly number[],
  format: Format,
): string {
  let cumulative = 0
  let text = ''
  for (const [i, count] of counts.entries()) {
    cumulative += count
    text += `${name}_bucket${formatLabels([...labels, `le="${formatBound(bounds[i], format)}"`])} ${cumulative}\n`
  }
  return `${text}${name}_sum${formatLabels(labels)} ${sum}\n${name}_count${formatLabels(labels)} ${cumulative}\n`
}

const formatLabels = (labels: readonly string[]) => (labels.length > 0 ? `{${labels.join(',')}}` : '')

/** OpenMetrics requires bounds in the form of floats. */
function formatBound(bound: number | undefined, format: Format): string {
  if (bound === undefined) return '+Inf'
  return format === 'openmetrics' && Number.isInteger(bound) ? `${bound}.0` : String(bound)
}

const escapeText = (text: string, quotes: boolean) => {
  const plain = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  return quotes ? plain.replaceAll('"', '\\"') : plain
}
