import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { TracedRequest, TracedStage, Traces } from './index.ts'
import type { Sampling, TraceOptions } from './options.ts'
import { parentOf } from './parent.ts'

/** A collector that is away must not keep the service from stopping. */
const CLOSE_MS = 2000

export function startTraces(options: TraceOptions): Traces {
  const { serviceName, version, attributes, batch } = options
  const named = { ...attributes, 'service.name': serviceName, 'service.version': version }
  const provider = new TracerProvider({
    sampler: samplerOf(options),
    // Without the detectors that would tell of the host and its user.
    resource: defaultResource().merge(resourceFromAttributes(named)),
    spanProcessors: [new BatchSpanProcessor({ exporter: exporterTo(options), ...batch })],
  })
  const tracer = provider.getTracer('menagerie', version)
  return {
    add: (request) => addSpans(tracer, request),
    close: async () => {
      const { promise: enough, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, CLOSE_MS)
      await Promise.race([provider.shutdown().catch(() => {}), enough])
      clearTimeout(timer)
    },
  }
}

/** The times are known already: a request is traced after it was answered, at no cost to it. */
function addSpans(tracer: Tracer, request: TracedRequest): void {
  const { id, name, method, route, status, traceparent, stages } = request
  const parent = parentOf(traceparent)
  const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
  const attributes = {
    'http.request.method': method,
    ...(route !== undefined && { 'http.route': route }),
    'http.response.status_code': status,
    'menagerie.request.id': id,
    ...(status >= 500 && { 'error.type': String(status) }),
  }
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, startTime: startOf(request), attributes }, context)
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  const inside = trace.setSpan(ROOT_CONTEXT, span)
  for (const stage of stages) end(tracer.startSpan(stage.name, { startTime: startOf(stage) }, inside), stage)
  end(span, request)
}

const startOf = ({ startedAt }: TracedStage) => performance.timeOrigin + startedAt
const end = (span: Span, stage: TracedStage) => span.end(startOf(stage) + stage.ms)

function samplerOf({ sampler, ratio }: Sampling): Sampler {
  const rule = sampler.replace('parentbased_', '')
  const root =
    rule === 'always_on'
      ? new AlwaysOnSampler()
      : rule === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio)
  return rule === sampler ? root : new ParentBasedSampler({ root })
}

/** Tells the operator once when traces do not arrive, and once when they do again. */
function exporterTo({ url, headers, log }: TraceOptions): SpanExporter {
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers } })
  let works = true
  const note = (arrived: boolean, error?: Error) => {
    if (works && !arrived) log.warn({ trouble: error?.message }, 'traces cannot be delivered')
    if (!works && arrived) log.info({}, 'traces are delivered again')
    works = arrived
  }
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        note(result.error === undefined && result.code === 0, result.error)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}
