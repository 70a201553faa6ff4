import { text } from 'node:stream/consumers'
import type { Scope } from './scope.ts'
import { startSource } from './source.ts'

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  /** 2 is a server's, 1 internal. */
  readonly kind: number
  readonly startNs: bigint
  readonly endNs: bigint
  readonly attributes: Readonly<Record<string, unknown>>
  readonly resource: Readonly<Record<string, unknown>>
  readonly statusCode: number | undefined
}

export interface Collector {
  readonly url: string
  /** Everything that arrived, as it came. */
  readonly received: {
    readonly path: string
    readonly headers: NodeJS.Dict<string | string[]>
    readonly body: string
  }[]
  spans(): CollectedSpan[]
  /** What the next deliveries are answered with. */
  answer: number
}

/** A collector of traces on loopback: takes OTLP over HTTP, as JSON. */
export async function startCollector(t: Scope): Promise<Collector> {
  const received: Collector['received'] = []
  const source = await startSource(t, async (request, response) => {
    const body = await text(request)
    if (collector.answer === 200) received.push({ path: request.url ?? '', headers: request.headers, body })
    response.writeHead(collector.answer, { 'content-type': 'application/json' }).end('{}')
  })
  const collector: Collector = {
    url: `http://${source.host}`,
    received,
    answer: 200,
    spans: () => received.flatMap(({ body }) => JSON.parse(body).resourceSpans.flatMap(spansOf)),
  }
  return collector
}

const spansOf = ({ resource, scopeSpans }: any): CollectedSpan[] =>
  scopeSpans.flatMap(({ spans }: any) =>
    spans.map((span: any) => ({
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId || undefined,
      name: span.name,
      kind: span.kind,
      startNs: BigInt(span.startTimeUnixNano),
      endNs: BigInt(span.endTimeUnixNano),
      attributes: plain(span.attributes),
      resource: plain(resource.attributes),
      statusCode: span.status?.code || undefined,
    })),
  )

const plain = (attributes: any[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values<unknown>(value)[0]]))
