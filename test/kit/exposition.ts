import assert from 'node:assert/strict'

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly type: string
  readonly help: string
  readonly samples: Sample[]
}

export type Families = Map<string, Family>

const HELP = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/
const TYPE = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\+Inf|NaN)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/y

/**
 * Parses the Prometheus text format 0.0.4 strictly: HELP and TYPE precede the samples of a family, a family is contiguous,
 * a series occurs once, and buckets rise up to +Inf, which equals the count.
 */
export function parseExposition(text: string): Families {
  assert.ok(text.endsWith('\n'), 'the last line must end with a line break')
  const families: Families = new Map()
  const series = new Set<string>()
  let help: [string, string] | undefined
  let current: [string, Family] | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    const helped = HELP.exec(line)
    const typed = TYPE.exec(line)
    if (helped) {
      help = [helped[1]!, helped[2]!]
    } else if (typed) {
      const [, name = '', type = ''] = typed
      assert.equal(help?.[0], name, `HELP must precede ${line}`)
      assert.ok(!families.has(name), `${name} occurs twice`)
      assert.equal(type === 'counter', name.endsWith('_total'), `${name} must not be a ${type}`)
      current = [name, { type, help: help![1], samples: [] }]
      families.set(...current)
    } else {
      const sample = readSample(line)
      assert.ok(current && isOf(sample.name, ...current), `${line} is outside its family`)
      const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()])
      assert.ok(!series.has(key), `${line} occurs twice`)
      series.add(key)
      current[1].samples.push(sample)
    }
  }
  for (const [name, family] of families) if (family.type === 'histogram') checkBuckets(name, family.samples)
  return families
}

function readSample(line: string): Sample {
  const [, name = '', inside = '', value = ''] = SAMPLE.exec(line) ?? assert.fail(`no sample: ${line}`)
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < inside.length) {
    const [, label = '', text = ''] = LABEL.exec(inside) ?? assert.fail(`no labels: ${line}`)
    assert.ok(!(label in labels), `${label} twice in ${line}`)
    labels[label] = text.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign))
  }
  return { name, labels, value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value) }
}

const isOf = (sample: string, family: string, { type }: Family) =>
  type === 'histogram' ? ['_bucket', '_sum', '_count'].some((end) => sample === family + end) : sample === family

function checkBuckets(name: string, samples: readonly Sample[]): void {
  const groups = Map.groupBy(samples, ({ labels: { le: _, ...rest } }) => JSON.stringify(rest))
  for (const [labels, group] of groups) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels: { le } }) => (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)))
    assert.ok(
      bounds.every((bound, i) => i === 0 || bound > bounds[i - 1]!),
      `${name}${labels}: bounds must rise`,
    )
    assert.ok(
      buckets.every(({ value }, i) => i === 0 || value >= buckets[i - 1]!.value),
      `${name}${labels}: buckets must be cumulative`,
    )
    assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY)
    const count = group.find((sample) => sample.name === `${name}_count`)
    assert.equal(buckets.at(-1)?.value, count?.value, `${name}${labels}: +Inf must be the count`)
    assert.ok(group.some((sample) => sample.name === `${name}_sum`))
  }
}

/** The sum of the samples with these labels; 0 if there are none. */
export function sumSamples(families: Families, name: string, labels: Record<string, string> = {}): number {
  const family = families.get(name.replace(/_(?:bucket|count|sum)$/, '')) ?? families.get(name)
  assert.ok(family, `${name} is not exposed`)
  return family.samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0)
}
