// Traces for OpenTelemetry. The OpenTelemetry packages are loaded only if a collector is configured.
import type { Config } from '../../config/config.ts'
import type { Log } from '../logging/index.ts'

export type TraceOptions = NonNullable<ReturnType<typeof readTraceOptions>>
export type Traces = Awaited<ReturnType<typeof openTraces>>

/** Part of the work on a request. Times are on the clock of `performance.now`. */
export interface TracedStage {
  readonly name: string
  readonly startedAt: number
  readonly ms: number
}

/** All that a trace contains of a request: nothing about the client, and no query. */
export interface TracedRequest extends TracedStage {
  readonly id: string
  readonly method: string
  /** The route pattern; undefined if no route matches. */
  readonly route: string | undefined
  readonly status: number
  /** The trace of the client, in the format of W3C Trace Context. */
  readonly traceparent: string | undefined
  readonly stages: readonly TracedStage[]
}

/** Undefined if no collector is configured. */
export function readTraceOptions(config: Config) {
  const url = readCollectorUrl(config)
  if (url === undefined) return undefined
  return {
    /** The collector: OTLP over HTTP with JSON. */
    url,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: config.OTEL_SERVICE_NAME,
    /** Resource attributes in addition to name and version. */
    attributes: config.OTEL_RESOURCE_ATTRIBUTES,
    /** `parentbased_` follows the trace of the client, if there is one. */
    sampler: config.OTEL_TRACES_SAMPLER,
    /** Share of the traces, for samplers with a ratio. */
    ratio: Number(config.OTEL_TRACES_SAMPLER_ARG),
    batch: {
      scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
      exportTimeoutMillis: config.OTEL_BSP_EXPORT_TIMEOUT,
      maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE,
      maxExportBatchSize: Math.min(config.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, config.OTEL_BSP_MAX_QUEUE_SIZE),
    },
  }
}

function readCollectorUrl(config: Config): string | undefined {
  if (config.OTEL_SDK_DISABLED === 'true') return undefined
  if (config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== '') return config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const base = config.OTEL_EXPORTER_OTLP_ENDPOINT
  return base === '' ? undefined : `${base.replace(/\/$/, '')}/v1/traces`
}

export async function openTraces(options: TraceOptions, { version, log }: { version: string; log: Log }) {
  const { startTraces } = await import('./sdk.ts')
  return startTraces(options, version, log)
}
