// The only file that loads the packages of OpenTelemetry.
import * as otel from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import * as sdk from '@opentelemetry/sdk-trace'
import type { Config } from '../../config/config.ts'
import { withTimeout } from '../concurrency/index.ts'
import type { Log } from '../logging/index.ts'
import type { TracedRequest, TracedStage } from './index.ts'

/** An unavailable collector must not delay the shutdown for longer. */
const CLOSE_TIMEOUT_MS = 2000

/** `url` is the collector: OTLP over HTTP with JSON. */
export function startTraces(url: string, config: Config, version: string, log: Log) {
  const { OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME, OTEL_BSP_MAX_QUEUE_SIZE } = config
  const resource = { ...OTEL_RESOURCE_ATTRIBUTES, 'service.name': OTEL_SERVICE_NAME, 'service.version': version }
  const provider = new sdk.TracerProvider({
    sampler: createSampler(config),
    // Without the detectors, which would add the host and its user.
    resource: defaultResource().merge(resourceFromAttributes(resource)),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: createExporter(url, config.OTEL_EXPORTER_OTLP_HEADERS, log),
        scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
        exportTimeoutMillis: config.OTEL_BSP_EXPORT_TIMEOUT,
        maxQueueSize: OTEL_BSP_MAX_QUEUE_SIZE,
        maxExportBatchSize: Math.min(config.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, OTEL_BSP_MAX_QUEUE_SIZE),
      }),
    ],
  })
  const tracer = provider.getTracer('menagerie', version)
  return {
    /** Adds an answered request to the current batch. */
    add: (request: TracedRequest) => addSpans(tracer, request),
    /** Sends what is left. */
    close: () =>
      withTimeout(
        CLOSE_TIMEOUT_MS,
        provider.shutdown().catch(() => {}),
        () => {},
      ),
  }
}

/** Called after the request was answered, with known times: tracing does not slow the request. */
function addSpans(tracer: otel.Tracer, request: TracedRequest): void {
  const { id, name, method, route, status, traceparent, stages } = request
  const parent = parseTraceparent(traceparent)
  const context = parent ? otel.trace.setSpanContext(otel.ROOT_CONTEXT, parent) : otel.ROOT_CONTEXT
  const attributes = {
    'http.request.method': method,
    ...(route !== undefined && { 'http.route': route }),
    'http.response.status_code': status,
    'menagerie.request.id': id,
    ...(status >= 500 && { 'error.type': String(status) }),
  }
  const span = tracer.startSpan(
    name,
    { kind: otel.SpanKind.SERVER, startTime: toEpochMs(request), attributes },
    context,
  )
  if (status >= 500) span.setStatus({ code: otel.SpanStatusCode.ERROR })
  const childContext = otel.trace.setSpan(otel.ROOT_CONTEXT, span)
  for (const stage of stages)
    endSpan(tracer.startSpan(stage.name, { startTime: toEpochMs(stage) }, childContext), stage)
  endSpan(span, request)
}

const toEpochMs = ({ startedAt }: TracedStage) => performance.timeOrigin + startedAt
const endSpan = (span: otel.Span, stage: TracedStage) => span.end(toEpochMs(stage) + stage.ms)

/** `parentbased_` follows the trace of the client, if there is one. */
function createSampler({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio }: Config): sdk.Sampler {
  const rule = sampler.replace('parentbased_', '')
  const root =
    rule === 'always_on'
      ? new sdk.AlwaysOnSampler()
      : rule === 'always_off'
        ? new sdk.AlwaysOffSampler()
        : new sdk.TraceIdRatioBasedSampler(Number(ratio))
  return rule === sampler ? root : new sdk.ParentBasedSampler({ root })
}

/** Logs once when the collector stops accepting traces, and once when it accepts them again. */
function createExporter(url: string, headers: Record<string, string>, log: Log): sdk.SpanExporter {
  const exporter = new OTLPTraceExporter({ url, headers })
  let isWorking = true
  const report = (succeeded: boolean, error?: Error) => {
    if (isWorking && !succeeded) log.warn({ reason: error?.message }, 'traces could not be sent')
    if (!isWorking && succeeded) log.info({}, 'traces are sent again')
    isWorking = succeeded
  }
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        report(result.error === undefined && result.code === 0, result.error)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const ALL_ZEROS = /^0+$/
const SAMPLED = 1

/**
 * The span of the client, or undefined if the header is invalid by the rules of W3C. Its `tracestate` is ignored: it is
 * free text from the client.
 */
export function parseTraceparent(traceparent: string | undefined): otel.SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', extra] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && extra !== undefined)) return undefined
  if (ALL_ZEROS.test(traceId) || ALL_ZEROS.test(spanId)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED, isRemote: true }
}
