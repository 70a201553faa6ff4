import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { renderMetrics } from '../../src/platform/metrics/index.ts'
import { parseExposition } from '../kit/exposition.ts'
import { ROOT } from '../kit/root.ts'

const OPS = join(ROOT, 'ops')
const read = (file: string) => readFileSync(join(OPS, file), 'utf8')

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string }
}

const dashboard = JSON.parse(read('grafana/menagerie.json'))
const panels: Panel[] = dashboard.panels
const graphs = panels.filter(({ type }) => type !== 'row')
const rules: Rule[] = parse(read('alerts.yml')).groups.flatMap((group: { rules: Rule[] }) => group.rules)

/** The metrics that the service exposes. */
const families = parseExposition(renderMetrics({}))
const KNOWN_TO_PROMETHEUS = ['up']

const metricsIn = (expr: string) =>
  [...expr.replace(/"[^"]*"/g, '').matchAll(/\b(?:menagerie|nodejs|process)_\w+|\bup\b/g)].map(([name]) => name)

/** Queries use the names of the series of a histogram. */
const findFamily = (name: string) => (families.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, ''))

test('every metric in a panel or an alert is exposed by the service', () => {
  const expressions = [...graphs.flatMap(({ targets = [] }) => targets), ...rules].map(({ expr }) => expr)
  assert.ok(expressions.length > 40)
  for (const expr of expressions) {
    const names = metricsIn(expr)
    assert.ok(names.length > 0, expr)
    for (const name of names) assert.ok(families.has(findFamily(name)) || KNOWN_TO_PROMETHEUS.includes(name), name)
  }
})

test('every metric is on the dashboard', () => {
  const shown = graphs.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr).map(findFamily)))
  assert.deepEqual(
    [...families.keys()].filter((name) => !shown.includes(name)),
    [],
  )
})

test('every panel has a title, a unit and named lines, and panels do not overlap', () => {
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  assert.equal(new Set(graphs.map(({ title }) => title)).size, graphs.length)
  for (const { title, fieldConfig, targets = [] } of graphs) {
    assert.ok(title.length > 2 && fieldConfig?.defaults.unit, title)
    assert.ok(targets.length > 0 && targets.every(({ legendFormat }) => legendFormat !== ''), title)
  }
  for (const a of panels) {
    for (const b of panels.filter(({ id }) => id > a.id)) {
      const [p, q] = [a.gridPos, b.gridPos]
      const apart = p.x + p.w <= q.x || q.x + q.w <= p.x || p.y + p.h <= q.y || q.y + q.h <= p.y
      assert.ok(apart, `${a.title} overlaps ${b.title}`)
    }
  }
})

test('every alert has a severity, and names the instance', () => {
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  for (const { alert, labels, annotations } of rules) {
    assert.match(alert, /^Menagerie[A-Z]/)
    assert.ok(['page', 'ticket'].includes(labels.severity), alert)
    assert.match(annotations.summary, /\$labels\.instance/, alert)
  }
})

test('the Prometheus example scrapes the default port and loads the alerts', () => {
  const { rule_files, scrape_configs } = parse(read('prometheus.yml'))
  assert.deepEqual(rule_files, ['alerts.yml'])
  assert.deepEqual(scrape_configs[0].static_configs[0].targets, ['127.0.0.1:4010'])
})
