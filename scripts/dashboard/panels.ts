// What the dashboard for Grafana shows: rows of panels.

export interface Panel {
  readonly title: string
  /** As Grafana calls it. */
  readonly unit: string
  /** What a line is called -> the query; `$on` stands for the instances that are chosen. */
  readonly lines: Readonly<Record<string, string>>
  readonly type: 'timeseries' | 'stat'
}

const graph = (title: string, unit: string, lines: Panel['lines']): Panel => ({
  title,
  unit,
  lines,
  type: 'timeseries',
})
const figure = (title: string, unit: string, lines: Panel['lines']): Panel => ({ title, unit, lines, type: 'stat' })

const requests = 'menagerie_http_requests_total'
const reads = 'menagerie_cache_reads_total'
const loop = 'nodejs_eventloop_seconds_total'

/** Of a counter, each second; `more` narrows it down. */
const rate = (metric: string, more = '') => `sum(rate(${metric}{$on${more}}[$__rate_interval]))`
const rateBy = (by: string, metric: string, more = '') =>
  `sum by (${by}) (rate(${metric}{$on${more}}[$__rate_interval]))`
const hourly = (metric: string) => `sum(increase(${metric}{$on}[1h]))`
const sumBy = (by: string, metric: string) => `sum by (${by}) (${metric}{$on})`
const maxBy = (by: string, metric: string) => `max by (${by}) (${metric}{$on})`
/** Seconds below which a share of the requests, stages or calls stayed. */
const quantile = (share: number, by: string, metric: string) =>
  `histogram_quantile(${share}, ${rateBy(`le, ${by}`, `${metric}_bucket`)})`

const replySeconds = 'menagerie_http_request_duration_seconds'
const stageSeconds = 'menagerie_filter_stage_duration_seconds'
const storeSeconds = 'menagerie_store_call_duration_seconds'

export const rows: Readonly<Record<string, readonly Panel[]>> = {
  'At a glance': [
    figure('Problems', 'short', { problems: `sum(${maxBy('part', 'menagerie_problems')})` }),
    figure('Requests', 'reqps', { requests: rate(requests) }),
    figure('Failed requests', 'percentunit', { failed: `${rate(requests, ',status=~"5.."')} / ${rate(requests)}` }),
    figure('Store', 'bool_on_off', { '{{driver}}': 'min by (driver) (menagerie_store_up{$on})' }),
    figure('Running for', 's', { uptime: 'max(menagerie_uptime_seconds{$on})' }),
    figure('Processes and version', 'short', {
      processes: 'sum(menagerie_processes{$on})',
      '{{version}} on Node {{node}}': sumBy('version, node', 'menagerie_build_info'),
    }),
  ],
  Requests: [
    graph('Requests by status', 'reqps', { '{{status}}': rateBy('status', requests) }),
    graph('Busiest routes', 'reqps', { '{{method}} {{route}}': `topk(10, ${rateBy('method, route', requests)})` }),
    graph('Server errors', 'reqps', { '{{route}} {{status}}': rateBy('route, status', requests, ',status=~"5.."') }),
    graph('Reply time, median', 's', { '{{group}}': quantile(0.5, 'group', replySeconds) }),
    graph('Reply time, 99 %', 's', { '{{group}}': quantile(0.99, 'group', replySeconds) }),
    graph('Refused before there was a request', 'reqps', {
      '{{code}}': rateBy('code', 'menagerie_http_early_errors_total'),
    }),
  ],
  Filters: [
    graph('Stages, median', 's', { '{{stage}}': quantile(0.5, 'stage', stageSeconds) }),
    graph('Stages, 99 %', 's', { '{{stage}}': quantile(0.99, 'stage', stageSeconds) }),
    graph('Refusals by reason', 'reqps', { '{{code}}': rateBy('code', 'menagerie_filter_refusals_total') }),
    graph('Queues', 'short', {
      '{{queue}} running': sumBy('queue', 'menagerie_queue_running'),
      '{{queue}} waiting': sumBy('queue', 'menagerie_queue_waiting'),
      overdue: 'sum(menagerie_filter_overdue{$on})',
    }),
    graph('Caches', 'reqps', { '{{cache}} {{outcome}}': rateBy('cache, outcome', reads) }),
    graph('Share of results from the cache', 'percentunit', {
      results: `${rate(reads, ',cache="results",outcome!="miss"')} / ${rate(reads, ',cache="results"')}`,
    }),
    graph('Memory of the caches', 'bytes', { '{{cache}}': sumBy('cache', 'menagerie_cache_bytes') }),
    graph('Entries of the caches', 'short', { '{{cache}}': sumBy('cache', 'menagerie_cache_entries') }),
  ],
  Guard: [
    graph('Bans', 'short', {
      active: 'max(menagerie_bans_active{$on})',
      'added by {{by}}, an hour': 'sum by (by) (increase(menagerie_bans_added_total{$on}[1h]))',
    }),
    graph('Requests of banned addresses', 'reqps', { refused: rate('menagerie_bans_refused_total') }),
    graph('Over the rate limit', 'reqps', { '{{bucket}}': rateBy('bucket', 'menagerie_limits_refused_total') }),
    graph('Blocking list', 'short', { domains: 'max(menagerie_blocklist_entries{$on})' }),
  ],
  'Store and content': [
    graph('Store, median', 's', { '{{operation}}': quantile(0.5, 'operation', storeSeconds) }),
    graph('Store, 99 %', 's', { '{{operation}}': quantile(0.99, 'operation', storeSeconds) }),
    graph('Calls that the store failed', 'ops', {
      '{{operation}}': rateBy('operation', 'menagerie_store_errors_total'),
    }),
    graph('Downloads', 'short', {
      'counted, an hour': hourly('menagerie_downloads_counted_total'),
      'lost, an hour': hourly('menagerie_downloads_lost_total'),
      waiting: 'sum(menagerie_downloads_waiting{$on})',
    }),
    graph('Content', 'short', {
      '{{category}} items': maxBy('category', 'menagerie_content_items'),
      '{{category}} kinds': maxBy('category', 'menagerie_content_kinds'),
    }),
    graph('Problems by part', 'short', { '{{part}}': maxBy('part', 'menagerie_problems') }),
  ],
  Process: [
    graph('Event loop, how late', 's', { '{{stat}}': maxBy('stat', 'nodejs_eventloop_lag_seconds') }),
    graph('Event loop in use', 'percentunit', { active: `${rate(loop, ',state="active"')} / ${rate(loop)}` }),
    graph('Processors in use', 'short', { cores: rate('process_cpu_seconds_total') }),
    graph('Memory', 'bytes', {
      resident: 'sum(process_resident_memory_bytes{$on})',
      '{{kind}}': sumBy('kind', 'nodejs_memory_bytes'),
    }),
    graph('Time for the garbage collector', 'percentunit', {
      '{{kind}}': rateBy('kind', 'nodejs_gc_duration_seconds_sum'),
    }),
    graph('Sockets, timers and other handles', 'short', { '{{type}}': sumBy('type', 'nodejs_active_resources') }),
    graph('Age of the oldest process', 's', { age: 'time() - min(process_start_time_seconds{$on})' }),
  ],
}
