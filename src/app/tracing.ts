// From the settings of OpenTelemetry to the traces of requests; undefined where there is nowhere to send them.
import type { Config } from '../config/config.ts'
import type { Route } from '../http/kernel/route.ts'
import { createTracing } from '../http/kernel/tracing.ts'
import type { Log } from '../platform/logging/index.ts'
import { openTraces } from '../platform/tracing/index.ts'

export async function openTracing(config: Config, routes: readonly Route[], version: string, log: Log) {
  const url = collectorOf(config)
  if (url === undefined) return undefined
  const traces = await openTraces({
    url,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: config.OTEL_SERVICE_NAME,
    version,
    attributes: config.OTEL_RESOURCE_ATTRIBUTES,
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: Number(config.OTEL_TRACES_SAMPLER_ARG),
    batch: {
      scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
      exportTimeoutMillis: config.OTEL_BSP_EXPORT_TIMEOUT,
      maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE,
      maxExportBatchSize: Math.min(config.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, config.OTEL_BSP_MAX_QUEUE_SIZE),
    },
    log,
  })
  return { ...createTracing(traces, routes), close: traces.close }
}

function collectorOf(config: Config): string | undefined {
  if (config.OTEL_SDK_DISABLED === 'true') return undefined
  if (config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== '') return config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const base = config.OTEL_EXPORTER_OTLP_ENDPOINT
  return base === '' ? undefined : `${base.replace(/\/$/, '')}/v1/traces`
}
