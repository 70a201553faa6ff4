import * as types from './setting-types.ts'

/** OpenTelemetry, with the names of its specification. Tracing is off unless one of the two endpoints is set. */
export const otelSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: types.webUrl({
    default: '',
    secret: true,
    help: 'Base URL of the trace collector (OTLP over HTTP). "/v1/traces" is appended.',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: types.webUrl({
    default: '',
    secret: true,
    help: 'Full URL of the trace collector. It overrides OTEL_EXPORTER_OTLP_ENDPOINT. If both are empty, tracing is off.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: types.pairs({
    default: '',
    secret: true,
    help: 'Headers for the collector, such as its API key.',
  }),
  OTEL_SDK_DISABLED: types.choice(['true', 'false'], { default: 'false', help: '"true" disables tracing.' }),
  OTEL_SERVICE_NAME: types.text(/^[^\0]{1,200}$/, {
    default: 'menagerie',
    rule: '1 to 200 characters',
    help: 'Name of the service in traces.',
  }),
  OTEL_RESOURCE_ATTRIBUTES: types.pairs({ default: '', help: 'Additional attributes of the service in traces.' }),
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
}
