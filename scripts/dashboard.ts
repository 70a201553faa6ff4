// Builds the Grafana dashboard from its list of panels. `npm run docs` writes it to ops/grafana/menagerie.json.
import { type Panel, rows } from './dashboard/panels.ts'

const DATASOURCE = { type: 'prometheus', uid: '$datasource' }
const INSTANCE_MATCHER = 'instance=~"$instance"'
const WIDTH = 24
const sizes = { stat: { w: 4, h: 4 }, timeseries: { w: 8, h: 8 } }

const buildPanel = ({ title, unit, lines, type }: Panel) => ({
  type,
  title,
  datasource: DATASOURCE,
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  options: type === 'timeseries' ? { tooltip: { mode: 'multi', sort: 'desc' } } : {},
  targets: Object.entries(lines).map(([legendFormat, expr], i) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + i),
    datasource: DATASOURCE,
    expr: expr.replaceAll('$on', INSTANCE_MATCHER),
    legendFormat,
  })),
})

/** Panels from left to right; the next line starts when a line is full. */
function placePanels() {
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
      return { id: id++, gridPos, ...buildPanel(panel) }
    })
    y += height
    return [row, ...placed]
  })
}

export const buildDashboard = () => ({
  uid: 'menagerie',
  title: 'Menagerie',
  description: 'All metrics of /metrics.',
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
  panels: placePanels(),
})
