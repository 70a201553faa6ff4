import { text } from 'node:stream/consumers'
import type { Scope } from '../../kit/scope.ts'
import { startSource } from '../../kit/source.ts'

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  /** 1: internal, 2: server. */
  readonly kind: number
  readonly startNs: bigint
  readonly endNs: bigint
  readonly attributes: Readonly<Record<string, unknown>>
  readonly resource: Readonly<Record<string, unknown>>
  readonly statusCode: number | undefined
}

export interface Collector {
  readonly url: string
  /** All accepted requests. */
  readonly received: {
    readonly path: string
    readonly headers: NodeJS.Dict<string | string[]>
    readonly body: string
  }[]
  spans(): CollectedSpan[]
  /** The status of the next replies. */
  status: number
}

/** Starts a trace collector on loopback that accepts OTLP over HTTP as JSON. */
export async function startCollector(t: Scope): Promise<Collector> {
  const received: Collector['received'] = []
  const source = await startSource(t, async (request, response) => {
    const body = await text(request)
    if (collector.status === 200) received.push({ path: request.url ?? '', headers: request.headers, body })
    response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}')
  })
  const collector: Collector = {
    url: `http://${source.host}`,
    received,
    status: 200,
    spans: () => received.flatMap(({ body }) => JSON.parse(body).resourceSpans.flatMap(parseSpans)),
  }
  return collector
}

const parseSpans = ({ resource, scopeSpans }: any): CollectedSpan[] =>
  scopeSpans.flatMap(({ spans }: any) =>
    spans.map((span: any) => ({
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId || undefined,
      name: span.name,
      kind: span.kind,
      startNs: BigInt(span.startTimeUnixNano),
      endNs: BigInt(span.endTimeUnixNano),
      attributes: parseAttributes(span.attributes),
      resource: parseAttributes(resource.attributes),
      statusCode: span.status?.code || undefined,
    })),
  )

const parseAttributes = (attributes: any[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values<unknown>(value)[0]]))
