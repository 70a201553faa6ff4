// Every metric, once. /metrics, docs/observing.md and the checks of the Grafana dashboard and the alerts read this list.
// Names are public API: operators use them in dashboards and alerts. Labels are bounded: they never hold client input.

export interface Definition {
  /** The name in Prometheus, in base units: seconds, bytes. */
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** How the values of several workers are merged. Counters and histograms are always summed. */
  readonly merge: 'sum' | 'max' | 'min'
  /** Upper bounds of the buckets of a histogram, ascending. Higher values are counted in an extra bucket. */
  readonly bounds: readonly number[]
}

const counter = (name: string, help: string, ...labels: string[]): Definition => ({
  name,
  type: 'counter',
  help,
  labels,
  merge: 'sum',
  bounds: [],
})

/** One value per worker; the value of the node is their sum. */
const gauge = (name: string, help: string, ...labels: string[]): Definition => ({
  ...counter(name, help, ...labels),
  type: 'gauge',
})

/** A value that is the same for all workers of the node: a sum would count it several times. */
const nodeGauge = (merge: 'max' | 'min', name: string, help: string, ...labels: string[]): Definition => ({
  ...gauge(name, help, ...labels),
  merge,
})

const histogram = (bounds: readonly number[], name: string, help: string, ...labels: string[]): Definition => ({
  ...counter(name, help, ...labels),
  type: 'histogram',
  bounds,
})

/** Most replies take well under a millisecond, a filter up to seconds. The dashboard estimates percentiles from it. */
const REPLY_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
]
const STAGE_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Calls of the store time out after three seconds. */
const STORE_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3]
const PAUSE_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

export const definitions = {
  requests: counter(
    'menagerie_http_requests_total',
    'Requests by route pattern ("unknown" if no route matches), method and status.',
    'route',
    'method',
    'status',
  ),
  requestSeconds: histogram(
    REPLY_SECONDS,
    'menagerie_http_request_duration_seconds',
    'Time from the arrival of a request until its reply is passed to the network, by endpoint group.',
    'group',
  ),
  replyBytes: counter('menagerie_http_response_bytes_total', 'Bytes of reply bodies.'),
  earlyErrors: counter(
    'menagerie_http_early_errors_total',
    'Connections refused before a request was complete, by error code: invalid HTTP, too large, too slow, too many.',
    'code',
  ),

  filterRequests: counter('menagerie_filter_requests_total', 'Requests to the image filters, by filter.', 'filter'),
  stageSeconds: histogram(
    STAGE_SECONDS,
    'menagerie_filter_stage_duration_seconds',
    'Duration of the stages of a filter job: wait (in the queue), fetch, decode, filter, encode. Cached replies have none.',
    'stage',
  ),
  filterFailures: counter(
    'menagerie_filter_failures_total',
    'Filter requests that failed, by error code. CANCELLED: the client disconnected. FAILED: a bug.',
    'code',
  ),
  queueRunning: gauge(
    'menagerie_queue_running',
    'Work in progress by queue: filters (whole jobs), fetches (of source images), image-processes (decode, filter, encode).',
    'queue',
  ),
  queueWaiting: gauge('menagerie_queue_waiting', 'Work that waits in a queue, by queue.', 'queue'),
  filterOverdue: gauge('menagerie_filter_overdue', 'Filter jobs that have run for more than 60 seconds.'),
  cacheReads: counter(
    'menagerie_cache_reads_total',
    'Cache reads. results: hit, miss, shared (joined an identical job). sources: hit, miss, revalidated.',
    'cache',
    'outcome',
  ),
  cacheBytes: gauge('menagerie_cache_bytes', 'Memory used by a cache.', 'cache'),
  cacheEntries: gauge('menagerie_cache_entries', 'Entries in a cache.', 'cache'),

  bansActive: nodeGauge('max', 'menagerie_bans_active', 'Addresses that are currently banned.'),
  bansAdded: counter('menagerie_bans_added_total', 'Bans added by this node, by origin: automatic or operator.', 'by'),
  bansRefused: counter('menagerie_bans_refused_total', 'Requests refused because the address is banned.'),
  limitsRefused: counter('menagerie_limits_refused_total', 'Requests refused by the rate limit, by bucket.', 'bucket'),

  storeUp: nodeGauge('min', 'menagerie_store_up', '1 if the store replies, 0 if it is unavailable.', 'driver'),
  storeSeconds: histogram(
    STORE_SECONDS,
    'menagerie_store_call_duration_seconds',
    'Duration of store calls, by operation.',
    'operation',
  ),
  storeErrors: counter('menagerie_store_errors_total', 'Failed store calls, by operation.', 'operation'),
  downloadsCounted: counter('menagerie_downloads_counted_total', 'Downloads counted.'),
  contentSequence: nodeGauge(
    'max',
    'menagerie_content_sequence',
    'Number of the last published change that this node has. Nodes with a lower number are behind.',
  ),
  contentEdits: nodeGauge('max', 'menagerie_content_edits', 'Files that were edited in the folder of this node only.'),
  downloadsWaiting: gauge('menagerie_downloads_waiting', 'Counted downloads that are not in the store yet.'),
  downloadsLost: counter('menagerie_downloads_lost_total', 'Downloads not counted because the journal was full.'),
  updateChecks: counter(
    'menagerie_update_checks_total',
    'Update checks of the launcher, by installed version: a published one, other, or unknown.',
    'version',
  ),
  updateInstallations: nodeGauge(
    'max',
    'menagerie_update_installations',
    'Installations that checked for updates today (UTC) on all nodes: an estimate.',
  ),

  contentItems: nodeGauge(
    'max',
    'menagerie_content_items',
    'Items by category. Drawings are not counted: their number is unlimited.',
    'category',
  ),
  contentKinds: nodeGauge('max', 'menagerie_content_kinds', 'Kinds by category.', 'category'),
  blocklistEntries: nodeGauge(
    'max',
    'menagerie_blocklist_entries',
    'Domains on all blocklists in use. A domain on two lists counts twice.',
  ),
  problems: nodeGauge('max', 'menagerie_problems', 'Problems listed by /readyz, by part.', 'part'),

  notifications: counter(
    'menagerie_notifications_total',
    'Messages to webhooks (NOTIFY_URLS), by outcome: sent, failed (after all attempts), dropped (the queue was full).',
    'outcome',
  ),

  eventLoopLag: nodeGauge(
    'max',
    'nodejs_eventloop_lag_seconds',
    'Event loop delay during the last 30 seconds: p50, p99, max.',
    'stat',
  ),
  eventLoopSeconds: counter(
    'nodejs_eventloop_seconds_total',
    'Time that the event loop was active or idle, by state.',
    'state',
  ),
  gcSeconds: histogram(PAUSE_SECONDS, 'nodejs_gc_duration_seconds', 'Garbage collection pauses, by kind.', 'kind'),
  memory: gauge('nodejs_memory_bytes', 'Memory of Node.js: heapUsed, heapTotal, external, arrayBuffers.', 'kind'),
  resources: gauge(
    'nodejs_active_resources',
    'Resources that keep the event loop alive (sockets, timers, files …), by type.',
    'type',
  ),
  residentMemory: gauge('process_resident_memory_bytes', 'Resident memory of the process.'),
  cpuSeconds: counter('process_cpu_seconds_total', 'CPU time, user and system.'),
  startTime: nodeGauge('min', 'process_start_time_seconds', 'Start of the process, in seconds since 1970.'),
  uptime: nodeGauge('max', 'menagerie_uptime_seconds', 'Time since the service started.'),
  workers: gauge('menagerie_workers', 'Workers included in these metrics.'),
  buildInfo: nodeGauge(
    'max',
    'menagerie_build_info',
    'Always 1. Labels: version of the service, version of Node.js (node), Git commit.',
    'version',
    'node',
    'commit',
  ),
} satisfies Record<string, Definition>

export type Metric = keyof typeof definitions

export const definitionList = () => Object.entries<Definition>(definitions) as [Metric, Definition][]
