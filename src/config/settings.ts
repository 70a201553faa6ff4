// Every setting once: type, default, range and help. The startup check, --help, .env.example and docs/settings.md are
// built from this list.
import * as types from './setting-types.ts'

export const settings = {
  HOST: types.host({ default: '127.0.0.1', help: 'Address to listen on. 0.0.0.0 or :: means all network interfaces.' }),
  PORT: types.integer(0, 65535, { default: '4010', help: 'Port to listen on. 0 means any free port.' }),
  LISTEN_FDS: types.integer(0, 1, {
    default: '0',
    help: 'Set to 1 by systemd if it opens the port (socket activation). The service then ignores HOST and PORT.',
  }),
  PUBLIC_URL: types.publicUrl({
    help:
      'Base URL of the service, for links in replies. If empty, links use the scheme and host of each request, and ' +
      'replies with such links are `Cache-Control: private` instead of `public`, so that CDNs do not store them.',
  }),
  CONTENT_DIR: types.folder({ default: './content', help: 'Folder with the content to serve.' }),
  CONTENT_SYNC: types.choice(['redis', 'shared', 'off'], {
    default: 'redis',
    help:
      'How published content reaches other nodes, if STORE_URL is Redis. redis: through Redis; each node has its own ' +
      'CONTENT_DIR. shared: all nodes use one CONTENT_DIR. off: you copy the files.',
  }),
  CONTENT_SYNC_FILE_BYTES: types.integer(65_536, 67_108_864, {
    default: '8388608',
    help: 'Maximum size of a file that is synchronised through Redis. Publish larger ones by URL, or share CONTENT_DIR.',
  }),
  CONTENT_SYNC_BYTES: types.integer(1_048_576, 2 ** 40, {
    default: '536870912',
    help: 'Maximum total size of the content that is synchronised through Redis. Redis needs this much memory, plus a quarter for uploads and replaced files.',
  }),
  DATA_DIR: types.folder({
    default: './data',
    help: 'Folder that the service writes to: logs, generated files, state.',
  }),
  TRUST_PROXY: types.addresses({
    help: 'Reverse proxies whose X-Forwarded-* headers are trusted. They are never banned.',
  }),
  APP_NAME: types.text(/^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/, {
    default: 'app',
    rule: '1 to 64 letters, digits, - or _, with a letter or digit at both ends',
    help: 'Name of the product whose updates the service offers, used in /api/v5/<name>/….',
  }),
  STORE_URL: types.storeUrl({
    help: 'Store of bans, client keys, tokens, download counts and usage history. Several nodes share one Redis.',
  }),
  V5_ACCESS: types.choice(['open', 'registered'], {
    default: 'open',
    help: 'Who may use the API of the product (v5): everyone, or only clients with a key that the operator granted.',
  }),
  MEMORY_LIMIT: types.integer(0, 2 ** 46, {
    default: '0',
    help:
      'Memory of this node in bytes, for all workers together. Image processes, caches and queues are sized to fit into ' +
      'it; the total is not enforced. 0: the memory of the container or machine.',
  }),
  FILTER_ALLOW_HOSTS: types.hostPorts({
    help: 'Hosts with ports that images may be fetched from, even if the address is private or the port is not in FILTER_PORTS.',
  }),
  FILTER_PORTS: types.ports({ default: '80,443,1024-65535', help: 'Ports that images may be fetched from.' }),
  FILTER_MAX_BYTES: types.integer(65_536, 268_435_456, {
    default: '16777216',
    help: 'Maximum size of a source image in bytes, after HTTP decompression.',
  }),
  FILTER_MAX_PIXELS: types.integer(10_000, 400_000_000, {
    default: '40000000',
    help: 'Maximum number of pixels of a source image, summed over all frames.',
  }),
  FILTER_TIMEOUT_MS: types.integer(100, 90_000, {
    default: '10000',
    help:
      'Timeout for fetching a source image, including redirects, in milliseconds. The limit for processing it is five ' +
      'times this value. A filter request that takes 100 seconds in total gets the error BUSY.',
  }),
  FILTER_QUEUE: types.integer(0, 10_000, {
    default: '256',
    help: 'Maximum number of filter requests that wait, per node. More requests get the error BUSY.',
  }),
  FILTER_CACHE_BYTES: types.integer(1, 17_179_869_184, {
    default: '25165824',
    help:
      'Maximum size in bytes of the memory cache for filtered images, per node. The cache for source images has half ' +
      'this size. Both are smaller if MEMORY_LIMIT requires it.',
  }),
  FILTER_STORE_CACHE_BYTES: types.integer(0, 1_099_511_627_776, {
    default: '268435456',
    help:
      'Maximum size in bytes of the second-level cache for filtered images: in Redis, shared by all nodes, or in DATA_DIR if ' +
      'STORE_URL is SQLite. 0 disables it.',
  }),
  FILTER_STORE_CACHE_SECONDS: types.integer(1, 2_592_000, {
    default: '86400',
    help: 'Lifetime of a filtered image in the second-level cache, in seconds.',
  }),
  RATE_LIMIT: types.rate('600/60', {
    default: 'on',
    help:
      'Rate limit per client address for all requests except filters, downloads, /healthz, /readyz and /metrics. For IPv6, ' +
      'it applies to a /64; in each worker, a /56 has 4 times this limit, and a /48 16 times. "off" disables all rate limits, ' +
      'except that of requests for a client key.',
  }),
  RATE_LIMIT_FILTERS: types.rate('60/60', {
    default: 'on',
    help: 'Rate limit per client address for filters. RATE_LIMIT=off disables it, too.',
  }),
  RATE_LIMIT_DOWNLOADS: types.rate('60/60', {
    default: 'on',
    help: 'Rate limit per client address for downloads. RATE_LIMIT=off disables it, too.',
  }),
  UPLOAD_MAX_BYTES: types.integer(1, 1_099_511_627_776, {
    default: '2147483648',
    help:
      'Maximum size in bytes of a file that is published over HTTP. Uploads stay in DATA_DIR until they are published, at ' +
      'most one day. All uploads together may have four times this size, those of one token three times.',
  }),
  BAN_EXEMPT: types.addresses({ default: 'loopback', help: 'Addresses that are never banned.' }),
  BAN_WRONG_TOKENS: types.rate(
    '5/900',
    {
      default: 'on',
      help:
        'tokens/seconds: number of wrong operator tokens after which an address (IPv6: its /64) is banned, and the seconds ' +
        'without a wrong token after which the count resets. Ten tokens that were valid once count as one wrong token. "off" ' +
        'disables these bans.',
    },
    'tokens',
  ),
  METRICS_ALLOW: types.addresses({ default: 'loopback', help: 'Addresses that may read /metrics.' }),
  BLOCKLIST_URL: types.webUrl({
    secret: true,
    help: 'URL to download the blocklist from: hosts from which filters fetch no images. If empty, no list is downloaded.',
  }),
  BLOCKLIST_REFRESH_HOURS: types.integer(0, 336, {
    default: '24',
    help: 'Hours between updates of the blocklist. 0 disables downloads, so BLOCKLIST_URL has no effect.',
  }),
  NOTIFY_URLS: types.webhooks({
    secret: true,
    help:
      'Webhooks that get a message when something needs attention. Discord webhooks and topics of ntfy.sh are recognised; ' +
      'ntfy+https://… is a topic of another ntfy server; other URLs get JSON. A comma in a URL is %2C.',
  }),
  BACKUP_HOURS: types.integer(0, 500, {
    default: '24',
    help: 'Hours between backups of the store and of CONTENT_DIR. Each is verified. 0 disables them.',
  }),
  BACKUP_KEEP: types.integer(1, 1000, {
    default: '7',
    help: 'Number of backups to keep. Files that have not changed take space only once.',
  }),
  BACKUP_DIR: types.optionalFolder({
    help: 'Folder of the backups, best on another disk. If empty: DATA_DIR/backups.',
  }),
  WORKERS: types.processes(256, {
    default: '1',
    help: 'Number of worker processes on this machine. They share one port. More than one requires Redis in STORE_URL.',
  }),
  STOP_GRACE_SECONDS: types.integer(0, 600, {
    default: '0',
    help:
      'Seconds to keep serving after the signal to stop, while /readyz already replies 503 to load balancers. 0 means ' +
      'half a second, or none for one process whose port systemd opened (LISTEN_FDS).',
  }),
  CONNECTIONS_PER_ADDRESS: types.integer(0, 1_000_000, {
    default: '1000',
    help:
      'Maximum number of open connections per node and client address, except for addresses in TRUST_PROXY. For IPv6, it ' +
      'applies to a /64; a /56 may have twice, a /48 four times as many. 0 means no limit.',
  }),
  MCP: types.choice(['on', 'off'], {
    default: 'off',
    help: 'Whether programs with a language model can use the service at /mcp (Model Context Protocol, read-only).',
  }),
  SECURITY_CONTACT: types.contacts({
    help:
      'Where to report vulnerabilities of your service: email addresses and https URLs, the preferred one first. ' +
      '/.well-known/security.txt names them. If empty, that file does not exist.',
  }),
  SECURITY_LANGUAGES: types.languages({
    default: 'en',
    help: 'Languages in which you accept reports, for /.well-known/security.txt.',
  }),
  SIGN_IN_LINK: types.choice(['terminal', 'always', 'never'], {
    default: 'terminal',
    help:
      'When to print a link that signs in to the dashboard: if the output is a terminal, always, or never. It works once, ' +
      'within 10 minutes, on this machine. It needs a HOST that only this machine can reach, and one worker.',
  }),
  LOG_LEVEL: types.choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    default: 'info',
    help: 'Minimum level of log messages. "info" includes one line per request.',
  }),
  LOG_FILE_BYTES: types.integer(65_536, 1_073_741_824, {
    default: '10485760',
    help: 'Size in bytes after which a new log file is started.',
  }),
  LOG_FILES: types.integer(1, 1000, { default: '14', help: 'Number of log files to keep.' }),
  // OpenTelemetry, with the names of its specification. Tracing is off unless one of the two endpoints is set.
  OTEL_EXPORTER_OTLP_ENDPOINT: types.webUrl({
    secret: true,
    help: 'Base URL of the trace collector (OTLP over HTTP). "/v1/traces" is appended.',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: types.webUrl({
    secret: true,
    help: 'Full URL of the trace collector. It overrides OTEL_EXPORTER_OTLP_ENDPOINT. If both are empty, tracing is off.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: types.pairs({ secret: true, help: 'Headers for the collector, such as its API key.' }),
  OTEL_SDK_DISABLED: types.choice(['true', 'false'], { default: 'false', help: '"true" disables tracing.' }),
  OTEL_SERVICE_NAME: types.text(/^[^\0]{1,200}$/, {
    default: 'menagerie',
    rule: '1 to 200 characters',
    help: 'Name of the service in traces.',
  }),
  OTEL_RESOURCE_ATTRIBUTES: types.pairs({ help: 'Additional attributes of the service in traces.' }),
  OTEL_TRACES_SAMPLER: types.choice(
    [
      ...(['always_on', 'always_off', 'traceidratio'] as const),
      ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
    ],
    { default: 'parentbased_always_on', help: 'Which requests are traced.' },
  ),
  OTEL_TRACES_SAMPLER_ARG: types.text(/^(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)$/, {
    default: '1',
    rule: 'a number from 0 to 1',
    help: 'Share of requests to trace, for samplers with "ratio" in their name.',
  }),
  OTEL_BSP_SCHEDULE_DELAY: types.integer(1, 600_000, {
    default: '5000',
    help: 'Milliseconds between two exports of traces.',
  }),
  OTEL_BSP_EXPORT_TIMEOUT: types.integer(1, 600_000, {
    default: '30000',
    help: 'Timeout for an export, in milliseconds.',
  }),
  OTEL_BSP_MAX_QUEUE_SIZE: types.integer(1, 1_000_000, {
    default: '2048',
    help: 'Maximum number of queued spans. When the queue is full, new spans are dropped.',
  }),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: types.integer(1, 1_000_000, {
    default: '512',
    help: 'Maximum number of spans per export.',
  }),
} satisfies Record<string, types.Setting<unknown>>
