// The dashboard for Grafana, from its list of panels; `npm run docs` writes it to ops/grafana/menagerie.json.
import { type Panel, rows } from './dashboard/panels.ts'

const DATASOURCE = { type: 'prometheus', uid: '$datasource' }
const CHOSEN = 'instance=~"$instance"'
const WIDTH = 24
const sizes = { stat: { w: 4, h: 4 }, timeseries: { w: 8, h: 8 } }

const shownPanel = ({ title, unit, lines, type }: Panel) => ({
  type,
  title,
  datasource: DATASOURCE,
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  options: type === 'timeseries' ? { tooltip: { mode: 'multi', sort: 'desc' } } : {},
  targets: Object.entries(lines).map(([legendFormat, expr], i) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + i),
    datasource: DATASOURCE,
    expr: expr.replaceAll('$on', CHOSEN),
    legendFormat,
  })),
})

/** From left to right, and below each other where there is no room. */
function laidOut() {
  let id = 1
  let y = 0
  return Object.entries(rows).flatMap(([title, panels]) => {
    const row = {
      id: id++,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y: y++, w: WIDTH, h: 1 },
      panels: [],
    }
    let x = 0
    let height = 0
    const placed = panels.map((panel) => {
      const { w, h } = sizes[panel.type]
      if (x + w > WIDTH) {
        x = 0
        y += height
      }
      const gridPos = { x, y, w, h }
      x += w
      height = h
      return { id: id++, gridPos, ...shownPanel(panel) }
    })
    y += height
    return [row, ...placed]
  })
}

export const dashboard = () => ({
  uid: 'menagerie',
  title: 'Menagerie',
  description: 'All that /metrics tells.',
  tags: ['menagerie'],
  schemaVersion: 39,
  timezone: 'browser',
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  templating: {
    list: [
      { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
      {
        name: 'instance',
        label: 'Node',
        type: 'query',
        datasource: DATASOURCE,
        query: 'label_values(menagerie_processes, instance)',
        refresh: 2,
        multi: true,
        includeAll: true,
        allValue: '.*',
        current: { text: 'All', value: '$__all' },
      },
    ],
  },
  panels: laidOut(),
})
