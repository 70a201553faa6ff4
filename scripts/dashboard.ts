// Builds the Grafana dashboard from the list of panels below. `npm run docs` writes it to ops/grafana/menagerie.json.

interface Panel {
  readonly title: string
  /** Name of the unit in Grafana. */
  readonly unit: string
  /** Query by name of the line. `$on` is replaced by the matcher of the selected instances. */
  readonly lines: Readonly<Record<string, string>>
  readonly type: 'timeseries' | 'stat'
}

const graph = (title: string, unit: string, lines: Panel['lines']): Panel => ({
  title,
  unit,
  lines,
  type: 'timeseries',
})
const number = (title: string, unit: string, lines: Panel['lines']): Panel => ({ title, unit, lines, type: 'stat' })

const requests = 'menagerie_http_requests_total'
const reads = 'menagerie_cache_reads_total'
const loop = 'nodejs_eventloop_seconds_total'

/** Rate per second of a counter; `matchers` selects labels. */
const rate = (metric: string, matchers = '') => `sum(rate(${metric}{$on${matchers}}[$__rate_interval]))`
const rateBy = (by: string, metric: string, matchers = '') =>
  `sum by (${by}) (rate(${metric}{$on${matchers}}[$__rate_interval]))`
const hourly = (metric: string) => `sum(increase(${metric}{$on}[1h]))`
const sumBy = (by: string, metric: string) => `sum by (${by}) (${metric}{$on})`
const maxBy = (by: string, metric: string) => `max by (${by}) (${metric}{$on})`
/** A quantile of a histogram in seconds. */
const quantile = (share: number, by: string, metric: string) =>
  `histogram_quantile(${share}, ${rateBy(`le, ${by}`, `${metric}_bucket`)})`

const replySeconds = 'menagerie_http_request_duration_seconds'
const stageSeconds = 'menagerie_filter_stage_duration_seconds'
const storeSeconds = 'menagerie_store_call_duration_seconds'

const rows: Readonly<Record<string, readonly Panel[]>> = {
  Overview: [
    number('Problems', 'short', { problems: `sum(${maxBy('part', 'menagerie_problems')})` }),
    number('Requests', 'reqps', { requests: rate(requests) }),
    number('Failed requests', 'percentunit', { failed: `${rate(requests, ',status=~"5.."')} / ${rate(requests)}` }),
    number('Store', 'bool_on_off', { '{{driver}}': 'min by (driver) (menagerie_store_up{$on})' }),
    number('Uptime', 's', { uptime: 'max(menagerie_uptime_seconds{$on})' }),
    number('Workers and version', 'short', {
      workers: 'sum(menagerie_workers{$on})',
      '{{version}} on Node {{node}}': sumBy('version, node', 'menagerie_build_info'),
    }),
  ],
  Requests: [
    graph('Requests by status', 'reqps', { '{{status}}': rateBy('status', requests) }),
    graph('Busiest routes', 'reqps', { '{{method}} {{route}}': `topk(10, ${rateBy('method, route', requests)})` }),
    graph('Server errors', 'reqps', { '{{route}} {{status}}': rateBy('route, status', requests, ',status=~"5.."') }),
    graph('Request duration, median', 's', { '{{group}}': quantile(0.5, 'group', replySeconds) }),
    graph('Request duration, p99', 's', { '{{group}}': quantile(0.99, 'group', replySeconds) }),
    graph('Early errors', 'reqps', { '{{code}}': rateBy('code', 'menagerie_http_early_errors_total') }),
    graph('Reply bytes', 'Bps', { bytes: rate('menagerie_http_response_bytes_total') }),
  ],
  Filters: [
    graph('Requests by filter', 'reqps', { '{{filter}}': rateBy('filter', 'menagerie_filter_requests_total') }),
    graph('Stages, median', 's', { '{{stage}}': quantile(0.5, 'stage', stageSeconds) }),
    graph('Stages, p99', 's', { '{{stage}}': quantile(0.99, 'stage', stageSeconds) }),
    graph('Failed requests by error code', 'reqps', { '{{code}}': rateBy('code', 'menagerie_filter_failures_total') }),
    graph('Queues', 'short', {
      '{{queue}} running': sumBy('queue', 'menagerie_queue_running'),
      '{{queue}} waiting': sumBy('queue', 'menagerie_queue_waiting'),
      overdue: 'sum(menagerie_filter_overdue{$on})',
    }),
    graph('Cache reads', 'reqps', { '{{cache}} {{outcome}}': rateBy('cache, outcome', reads) }),
    graph('Cache hit ratio of results', 'percentunit', {
      results: `${rate(reads, ',cache="results",outcome!="miss"')} / ${rate(reads, ',cache="results"')}`,
    }),
    graph('Cache memory', 'bytes', { '{{cache}}': sumBy('cache', 'menagerie_cache_bytes') }),
    graph('Cache entries', 'short', { '{{cache}}': sumBy('cache', 'menagerie_cache_entries') }),
  ],
  'Bans and limits': [
    graph('Bans', 'short', {
      active: 'max(menagerie_bans_active{$on})',
      'added by {{by}} per hour': 'sum by (by) (increase(menagerie_bans_added_total{$on}[1h]))',
    }),
    graph('Requests from banned addresses', 'reqps', { refused: rate('menagerie_bans_refused_total') }),
    graph('Refused by the rate limit', 'reqps', { '{{bucket}}': rateBy('bucket', 'menagerie_limits_refused_total') }),
    graph('Blocklist', 'short', { domains: 'max(menagerie_blocklist_entries{$on})' }),
  ],
  'Store and content': [
    graph('Store calls, median', 's', { '{{operation}}': quantile(0.5, 'operation', storeSeconds) }),
    graph('Store calls, p99', 's', { '{{operation}}': quantile(0.99, 'operation', storeSeconds) }),
    graph('Failed store calls', 'ops', {
      '{{operation}}': rateBy('operation', 'menagerie_store_errors_total'),
    }),
    graph('Downloads', 'short', {
      'counted per hour': hourly('menagerie_downloads_counted_total'),
      'lost per hour': hourly('menagerie_downloads_lost_total'),
      waiting: 'sum(menagerie_downloads_waiting{$on})',
    }),
    graph('Update checks by version', 'short', {
      '{{version}} per hour': 'sum by (version) (increase(menagerie_update_checks_total{$on}[1h]))',
    }),
    graph('Installations today', 'short', { installations: 'max(menagerie_update_installations{$on})' }),
    graph('Content', 'short', {
      '{{category}} items': maxBy('category', 'menagerie_content_items'),
      '{{category}} kinds': maxBy('category', 'menagerie_content_kinds'),
    }),
    graph('Nodes behind the published content', 'short', {
      changes: 'max(menagerie_content_sequence{$on}) - min(menagerie_content_sequence{$on})',
      'files edited on one node': 'sum(menagerie_content_edits{$on})',
    }),
    graph('Problems by part', 'short', { '{{part}}': maxBy('part', 'menagerie_problems') }),
    graph('Notifications in an hour', 'short', {
      '{{outcome}}': 'sum by (outcome) (increase(menagerie_notifications_total{$on}[1h]))',
    }),
  ],
  Process: [
    graph('Event loop delay', 's', { '{{stat}}': maxBy('stat', 'nodejs_eventloop_lag_seconds') }),
    graph('Event loop utilization', 'percentunit', { active: `${rate(loop, ',state="active"')} / ${rate(loop)}` }),
    graph('CPU cores in use', 'short', { cores: rate('process_cpu_seconds_total') }),
    graph('Memory', 'bytes', {
      resident: 'sum(process_resident_memory_bytes{$on})',
      '{{kind}}': sumBy('kind', 'nodejs_memory_bytes'),
    }),
    graph('Time in garbage collection', 'percentunit', {
      '{{kind}}': rateBy('kind', 'nodejs_gc_duration_seconds_sum'),
    }),
    graph('Active resources', 'short', { '{{type}}': sumBy('type', 'nodejs_active_resources') }),
    graph('Age of the oldest process', 's', { age: 'time() - min(process_start_time_seconds{$on})' }),
  ],
}

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

/** Places the panels from left to right, and starts a new line when a line is full. */
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
        query: 'label_values(menagerie_workers, instance)',
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
