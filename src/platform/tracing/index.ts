// Traces for OpenTelemetry. The OpenTelemetry packages are loaded only if a collector is configured.
import type { Config } from '../../config/config.ts'
import type { Log } from '../logging/index.ts'

export type Traces = NonNullable<Awaited<ReturnType<typeof openTraces>>>

/** Part of the work on a request. Times are on the clock of `performance.now`. */
export type TracedStage = { readonly name: string; readonly startedAt: number; readonly ms: number }

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
export async function openTraces(config: Config, { version, log }: { version: string; log: Log }) {
  const url = readCollectorUrl(config)
  if (url === undefined) return undefined
  const { startTraces } = await import('./sdk.ts')
  return startTraces(url, config, version, log)
}

function readCollectorUrl(config: Config): string | undefined {
  if (config.OTEL_SDK_DISABLED === 'true') return undefined
  if (config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== '') return config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const base = config.OTEL_EXPORTER_OTLP_ENDPOINT
  return base === '' ? undefined : `${base.replace(/\/$/, '')}/v1/traces`
}
