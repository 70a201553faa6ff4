// Renders a snapshot in the text format of Prometheus.
import { type Definition, definitionList } from './definitions.ts'
import type { Distribution, Sample, Snapshot } from './snapshot.ts'

/** Includes metrics without samples, so that operators see all that exist. */
export function renderMetrics(snapshot: Snapshot): string {
  let text = ''
  for (const [metric, definition] of definitionList()) {
    const { name, type, help } = definition
    text += `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n`
    for (const sample of snapshot[metric] ?? []) text += renderSample(definition, sample)
  }
  return text
}

function renderSample({ name, labels: names, bounds }: Definition, [values, value]: Sample): string {
  const labels = names.map((label, i) => `${label}="${escapeText(values[i] ?? '').replaceAll('"', '\\"')}"`)
  if (typeof value === 'number') return `${name}${formatLabels(labels)} ${value}\n`
  return renderBuckets(name, labels, value, bounds)
}

function renderBuckets(
  name: string,
  labels: readonly string[],
  { counts, sum }: Distribution,
  bounds: readonly number[],
): string {
  let cumulative = 0
  let text = ''
  for (const [i, count] of counts.entries()) {
    cumulative += count
    text += `${name}_bucket${formatLabels([...labels, `le="${bounds[i] ?? '+Inf'}"`])} ${cumulative}\n`
  }
  return `${text}${name}_sum${formatLabels(labels)} ${sum}\n${name}_count${formatLabels(labels)} ${cumulative}\n`
}

const formatLabels = (labels: readonly string[]) => (labels.length > 0 ? `{${labels.join(',')}}` : '')

const escapeText = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
