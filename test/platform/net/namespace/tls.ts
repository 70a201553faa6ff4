import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { createSecureContext, createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls'
import { createFetcher, createSourceTurns } from '../../../../src/platform/net/index.ts'
import { keepThreadBusy } from '../../../kit/turns.ts'
import { until } from '../../../kit/until.ts'
import { failsWith, signal } from '../kit.ts'

type Certificate = { key: string; cert: string }

const [trusted, untrusted] = JSON.parse(process.env.TEST_CERTIFICATES!) as [Certificate, Certificate]
const addresses: Record<string, string> = { 'trusted.example': '1.1.1.1', 'other.example': '1.1.1.1' }
const sourceTurns = createSourceTurns()
const resolve = async (name: string) => [addresses[name] ?? '2.2.2.2']
const fetcher = createFetcher({ totalTimeoutMs: 5000, resolve, sourceTurns })

async function listen(t: { after(work: () => void): void }, certificate: Certificate, address: string) {
  const requests: string[] = []
  const server = createServer(certificate, (request, response) => {
    requests.push(request.headers.host!)
    response.end('secret')
  }).listen(443, address)
  t.after(() => server.close())
  await once(server, 'listening')
  return requests
}

test('a source with a trusted certificate for its name is fetched', async (t) => {
  const requests = await listen(t, trusted, '1.1.1.1')
  const { body } = await fetcher.get('https://trusted.example/', { signal: signal() })
  assert.equal(body.toString(), 'secret')
  assert.deepEqual(requests, ['trusted.example'])
})

test('no request is sent to a source whose certificate is untrusted or for another name', async (t) => {
  const requests = [await listen(t, trusted, '1.1.1.1'), await listen(t, untrusted, '2.2.2.2')]
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)
  for (const host of ['untrusted.example', 'other.example', '1.1.1.1']) {
    const refused = fetcher.get(`https://${host}/`, { signal: signal() })
    await assert.rejects(refused, failsWith('unreachable', { sourceStatus: undefined }), host)
    await assert.rejects(fetcher.get(`https://${host}/`, { signal: signal() }), /certificate/, host)
  }
  assert.deepEqual(requests, [[], []])
})

test('a source with several addresses is fetched, although its network is slow', async (t) => {
  const patient = createFetcher({
    connectTimeoutMs: 4000,
    resolve: async () => Array.from({ length: 4 }, () => '1.1.1.1'),
  })
  const opened: Socket[] = []
  // Longer than a quarter of the timeout.
  const SNICallback: TlsOptions['SNICallback'] = (_name, onContext) =>
    void setTimeout(onContext, 1500, null, createSecureContext(trusted))
  const server = createServer({ ...trusted, SNICallback }, (_request, response) => response.end('slow'))
    .on('connection', (socket: Socket) => void opened.push(socket))
    .on('tlsClientError', () => {})
    .listen(443, '1.1.1.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { body } = await patient.get('https://trusted.example/', { signal: signal() })
  assert.equal(body.toString(), 'slow')
  assert.ok(opened.length < 4, `${opened.length} connections`)
  await until(() => opened.every(({ closed }) => closed))
})

test('long handshakes with other sources do not delay one whose last handshake was short', async (t) => {
  await listen(t, trusted, '1.1.1.1')
  const fetch = () => fetcher.get('https://trusted.example/', { signal: signal() })
  async function fetchAmongOthers() {
    await fetch()
    const ended: string[] = []
    const takeLongStep = (network: string) =>
      sourceTurns
        .startHandshake([network], signal())
        .takeTurn(() => keepThreadBusy(200))
        .then(() => ended.push(network))
    const others = ['3.3.3.0/24', '4.4.4.0/24', '5.5.5.0/24'].map(takeLongStep)
    await fetch().then(() => ended.push('fetched'))
    await Promise.all(others)
    return ended[0]
  }
  let first: string | undefined
  // Repeated, because a busy machine may make a short handshake long.
  for (let i = 0; i < 4 && first !== 'fetched'; i++) first = await fetchAmongOthers()
  assert.equal(first, 'fetched')
})

async function serveTls(t: { after(work: () => void): void }, options: TlsOptions, serve: (socket: TLSSocket) => void) {
  const server = createTlsServer({ ...trusted, ...options }, serve)
  server.on('tlsClientError', () => {}).listen(443, '1.1.1.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return fetcher.get('https://trusted.example/', { signal: signal() })
}

test('no key is computed with a modulus that the source chooses', async (t) => {
  const options = { ciphers: 'DHE', dhparam: 'auto', maxVersion: 'TLSv1.2' } as const
  await assert.rejects(
    serveTls(t, options, () => {}),
    failsWith('unreachable', { problem: 'does not accept connections' }),
  )
})

test('more certificates than usual are not verified', async (t) => {
  await assert.rejects(
    serveTls(t, { cert: trusted.cert.repeat(40) }, (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')),
    failsWith('unreachable', { problem: 'does not accept connections' }),
  )
})

test('a source cannot begin another handshake', async (t) => {
  const ended = Promise.withResolvers<Error | null>()
  const outcome = serveTls(t, { maxVersion: 'TLSv1.2' }, (socket) => {
    socket.on('error', ended.resolve).write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n')
    socket.renegotiate({}, ended.resolve)
  })
  outcome.catch(() => {})
  assert.match(String(await ended.promise), /no renegotiation/i)
})

test('endless records of one byte are cut off before the deadline, and what arrived is not a complete image', async (t) => {
  const pour = (socket: TLSSocket) => void socket.write('x', (error) => error || setImmediate(pour, socket))
  // Without a length, the body ends with the connection.
  const outcome = serveTls(t, {}, (socket) => {
    socket.on('error', () => {}).write('HTTP/1.1 200 OK\r\n\r\n')
    pour(socket)
  })
  await assert.rejects(outcome, failsWith('unreachable', { problem: 'sent more protocol overhead than content' }))
})
