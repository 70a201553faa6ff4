import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Environment } from '../../../src/config/config.ts'
import { parseTraceparent } from '../../../src/platform/tracing/sdk.ts'
import { startPictureSource } from '../../kit/picture-source.ts'
import { createNoisyImage } from '../../kit/pictures.ts'
import { ROOT } from '../../kit/root.ts'
import { startTestService } from '../../kit/service.ts'
import { until } from '../../kit/until.ts'
import { type CollectedSpan, startCollector } from './collector.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

async function start(t: TestContext, settings: Environment = {}) {
  const collector = await startCollector(t)
  const source = await startPictureSource(t)
  const service = await startTestService(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    FILTER_ALLOW_HOSTS: source.host,
    ...settings,
  })
  const named = (name: string) => collector.spans().filter((span) => span.name === name)
  const arrived = async (name: string): Promise<CollectedSpan> => {
    await until(() => named(name).length > 0)
    return named(name)[0]!
  }
  return { collector, source, service, arrived }
}

test('a filter request is sent as a span with one child per stage and without private data', async (t) => {
  const { collector, source, service, arrived } = await start(t, {
    OTEL_SERVICE_NAME: 'zoo',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test%20bed, region=x',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc',
    TRUST_PROXY: 'loopback',
  })
  const image = source.put('/private/cat.png', { type: 'image/png', body: await createNoisyImage('png', 40, 30) })
  const reply = await fetch(`${service.url}/api/v1/filter/blur?image=${encodeURIComponent(`${image}?key=hunter2`)}`, {
    headers: { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'hunter2=x', 'x-forwarded-for': '203.0.113.77' },
  })
  assert.equal(reply.status, 200)
  const span = await arrived('GET /api/v1/filter/:kind')
  assert.deepEqual([span.traceId, span.parentSpanId, span.kind], [TRACE, PARENT, 2])
  assert.deepEqual(span.attributes, {
    'http.request.method': 'GET',
    'http.route': '/api/v1/filter/:kind',
    'http.response.status_code': 200,
    'menagerie.request.id': reply.headers.get('x-request-id'),
  })
  const children = collector.spans().filter(({ parentSpanId }) => parentSpanId === span.spanId)
  assert.deepEqual(
    children.map(({ name }) => name),
    ['wait', 'fetch', 'decode', 'filter', 'encode'],
  )
  // In order and within the request. Image processes read their clock slightly before their answer arrives.
  const slackNs = 20_000_000n
  for (const [i, child] of children.entries()) {
    assert.equal(child.traceId, TRACE)
    assert.ok(child.startNs >= span.startNs - slackNs && child.endNs <= span.endNs + slackNs, child.name)
    assert.ok(i === 0 || child.startNs >= children[i - 1]!.startNs, child.name)
  }
  const ageMs = Date.now() - Number(span.startNs / 1_000_000n)
  assert.ok(ageMs >= 0 && ageMs < 60_000)

  assert.equal(span.resource['service.name'], 'zoo')
  assert.equal(span.resource['deployment.environment.name'], 'test bed')
  assert.equal(span.resource.region, 'x')
  const [delivery] = collector.received
  assert.equal(delivery?.path, '/v1/traces')
  assert.equal(delivery?.headers.authorization, 'Basic abc')
  const all = collector.received.map(({ body }) => body).join()
  for (const secret of ['203.0.113', '127.0.0.1', 'hunter2', 'private', 'image=', process.cwd()]) {
    assert.ok(!all.includes(secret), secret)
  }
  assert.ok(!Object.keys(span.resource).some((key) => /^(?:host|process|os)\./.test(key)))
})

test('unknown paths share one span name, and server errors are marked as errors', async (t) => {
  const { service, source, arrived } = await start(t)
  await fetch(`${service.url}/secret-path/hunter2`)
  const unknown = await arrived('GET')
  assert.equal(unknown.attributes['http.route'], undefined)
  assert.equal(unknown.attributes['http.response.status_code'], 404)
  assert.equal(unknown.statusCode, undefined)
  assert.equal(unknown.parentSpanId, undefined)
  await fetch(`${service.url}/api/v2/filter/blur?image=${encodeURIComponent(`${source.url}/missing.png`)}`)
  const failed = await arrived('GET /api/v2/filter/:kind')
  assert.deepEqual([failed.statusCode, failed.attributes['error.type']], [2, '502'])
})

test('the sampler parentbased_always_off traces only requests whose client is traced', async (t) => {
  const { collector, service, arrived } = await start(t, { OTEL_TRACES_SAMPLER: 'parentbased_always_off' })
  await fetch(`${service.url}/healthz`)
  await fetch(`${service.url}/healthz`, { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } })
  await fetch(`${service.url}/api`, { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } })
  await arrived('GET /api')
  assert.equal(collector.spans().length, 1)
})

test('the rest of the traces is sent when the service stops', async (t) => {
  const { collector, service } = await start(t, { OTEL_BSP_SCHEDULE_DELAY: '600000' })
  await fetch(`${service.url}/healthz`)
  assert.equal(collector.spans().length, 0)
  await service.service.stop()
  assert.equal(collector.spans().length, 1)
})

test('a collector that refuses traces is reported once, and the service keeps working', async (t) => {
  const { collector, service, arrived } = await start(t)
  collector.status = 400
  await fetch(`${service.url}/healthz`)
  await until(() => service.printed.some((text) => text.includes('traces could not be sent')))
  collector.status = 200
  await fetch(`${service.url}/api`)
  await arrived('GET /api')
  assert.equal(service.printed.filter((text) => text.includes('traces could not be sent')).length, 1)
})

test('nothing is sent if tracing is disabled', async (t) => {
  const { collector, service } = await start(t, { OTEL_SDK_DISABLED: 'true' })
  await fetch(`${service.url}/healthz`)
  await service.service.stop()
  assert.deepEqual(collector.received, [])
})

test('the OpenTelemetry packages are loaded only if traces are sent', () => {
  const sources = globSync('src/**/*.ts', { cwd: ROOT })
  const using = (pattern: RegExp) => sources.filter((file) => pattern.test(readFileSync(join(ROOT, file), 'utf8')))
  assert.deepEqual(using(/^import (?!type )[^;]*?from '@opentelemetry/m), ['src/platform/tracing/sdk.ts'])
  assert.deepEqual(using(/^import (?!type ).*sdk\.ts'/m), [])
  assert.deepEqual(using(/await import\('\.\/sdk\.ts'\)/), ['src/platform/tracing/index.ts'])
})

test('a traceparent is parsed by the rules of W3C, also of later versions', () => {
  const parent = { traceId: TRACE, spanId: PARENT, isRemote: true }
  const sampled = { ...parent, traceFlags: 1 }
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${PARENT}-01`), sampled)
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${PARENT}-00`), { ...parent, traceFlags: 0 })
  assert.deepEqual(parseTraceparent(`00-${TRACE}-${PARENT}-ff`), sampled)
  assert.deepEqual(parseTraceparent(`cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`), sampled)
})

test('an invalid traceparent is ignored', () => {
  for (const header of [
    undefined,
    '',
    'nonsense',
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-1`,
    ` 00-${TRACE}-${PARENT}-01`,
  ]) {
    assert.equal(parseTraceparent(header), undefined, String(header))
  }
})
