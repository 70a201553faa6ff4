// Every metric, once. /metrics, docs/observing.md and the checks of the dashboard and the alerts are made from this list.
// A name is public: dashboards and alerts of operators read it. Labels are bounded: nothing that a caller writes.
import { common, counter, type Definition, gauge, histogram } from './define.ts'

/** Most replies take well under a millisecond, a filter up to seconds. */
const REPLY_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const STAGE_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** A call of the store is given up after three seconds. */
const STORE_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3]
const PAUSE_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]

export const definitions = {
  requests: counter(
    'menagerie_http_requests_total',
    'Requests answered, by the pattern of the route ("unknown" where there is none), method and status.',
    ...['route', 'method', 'status'],
  ),
  requestSeconds: histogram(
    REPLY_SECONDS,
    'menagerie_http_request_duration_seconds',
    'Time from the arrival of a request until its reply is handed to the network, by group of endpoints.',
    'group',
  ),
  earlyErrors: counter(
    'menagerie_http_early_errors_total',
    'Connections refused before there was a whole request: broken HTTP, too long, too slow, a flood.',
    'code',
  ),

  stageSeconds: histogram(
    STAGE_SECONDS,
    'menagerie_filter_stage_duration_seconds',
    'Stages of a filtered picture: wait (for a place), fetch, decode, filter, encode. What a cache answers has none.',
    'stage',
  ),
  filterRefusals: counter(
    'menagerie_filter_refusals_total',
    'Pictures that were not fetched or filtered, by error code; CANCELLED is a caller who hung up, FAILED a bug.',
    'code',
  ),
  queueRunning: gauge(
    'menagerie_queue_running',
    'Work under way: filters (whole jobs), fetches (from sources), threads (decoding, filtering, encoding).',
    'queue',
  ),
  queueWaiting: gauge('menagerie_queue_waiting', 'Work that waits for a place, by queue.', 'queue'),
  filterOverdue: gauge('menagerie_filter_overdue', 'Filter jobs that run far longer than they may.'),
  cacheReads: counter(
    'menagerie_cache_reads_total',
    'Answers of a cache. results: hit, miss, shared (another request did the work); sources: hit, miss, revalidated.',
    ...['cache', 'outcome'],
  ),
  cacheBytes: gauge('menagerie_cache_bytes', 'Memory that a cache holds.', 'cache'),
  cacheEntries: gauge('menagerie_cache_entries', 'Entries that a cache holds.', 'cache'),

  bansActive: common('max', 'menagerie_bans_active', 'Addresses that are banned now.'),
  bansAdded: counter(
    'menagerie_bans_added_total',
    'Bans that were made here, by whom: guard (attacks) or operator.',
    'by',
  ),
  bansRefused: counter('menagerie_bans_refused_total', 'Requests of banned addresses.'),
  limitsRefused: counter(
    'menagerie_limits_refused_total',
    'Requests over the rate limit, by the budget that was spent.',
    'bucket',
  ),

  storeUp: common('min', 'menagerie_store_up', '1 while the store answers, 0 while it is away.', 'driver'),
  storeSeconds: histogram(
    STORE_SECONDS,
    'menagerie_store_call_duration_seconds',
    'How long the store took to answer, by operation.',
    'operation',
  ),
  storeErrors: counter('menagerie_store_errors_total', 'Calls that the store failed, by operation.', 'operation'),
  downloadsCounted: counter('menagerie_downloads_counted_total', 'Downloads that were counted.'),
  downloadsWaiting: gauge('menagerie_downloads_waiting', 'Counted downloads that have not arrived in the store yet.'),
  downloadsLost: counter('menagerie_downloads_lost_total', 'Downloads that were not counted for want of room.'),

  contentItems: common(
    'max',
    'menagerie_content_items',
    'Items that can be picked, by category; drawings are endless and not counted.',
    'category',
  ),
  contentKinds: common('max', 'menagerie_content_kinds', 'Kinds that can be asked for, by category.', 'category'),
  blocklistEntries: common('max', 'menagerie_blocklist_entries', 'Domains on the blocking list that is in force.'),
  problems: common('max', 'menagerie_problems', 'What /readyz tells of, by part.', 'part'),

  eventLoopLag: common(
    'max',
    'nodejs_eventloop_lag_seconds',
    'How late the event loop was within the last half minute: p50, p99, max.',
    'stat',
  ),
  eventLoopSeconds: counter(
    'nodejs_eventloop_seconds_total',
    'Time that the event loop spent active and idle.',
    'state',
  ),
  gcSeconds: histogram(
    PAUSE_SECONDS,
    'nodejs_gc_duration_seconds',
    'Pauses of the garbage collector, by kind.',
    'kind',
  ),
  memory: gauge('nodejs_memory_bytes', 'Memory of the runtime: heapUsed, heapTotal, external, arrayBuffers.', 'kind'),
  resources: gauge(
    'nodejs_active_resources',
    'What keeps the process busy (sockets, timers, files …), by type.',
    'type',
  ),
  residentMemory: gauge('process_resident_memory_bytes', 'Memory of the process as the system sees it.'),
  cpuSeconds: counter('process_cpu_seconds_total', 'Processor time, of user and system together.'),
  startTime: common('min', 'process_start_time_seconds', 'When the process started, in seconds since 1970.'),
  uptime: common('max', 'menagerie_uptime_seconds', 'How long the service has been running.'),
  processes: gauge('menagerie_processes', 'Processes that these numbers are about.'),
  buildInfo: common(
    'max',
    'menagerie_build_info',
    'Always 1; the labels tell the version.',
    'version',
    'node',
    'commit',
  ),
} satisfies Record<string, Definition>

export type { Definition }
export type Metric = keyof typeof definitions

export const definitionList = () => Object.entries<Definition>(definitions) as [Metric, Definition][]
