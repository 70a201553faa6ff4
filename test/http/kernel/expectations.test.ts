// An Expect header is no way around what every request passes.
import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { FLOOD_SIZE, MAX_PIPELINED } from '../../../src/http/kernel/connections.ts'
import { parseRaw, sendRaw } from '../../kit/raw.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'
import { openSocket } from '../../kit/sockets.ts'
import { until } from '../../kit/until.ts'

const get = (path: string, ...headers: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`
const finalStatuses = (text: string) => text.match(/HTTP\/1\.1 [2-5]\d\d/g) ?? []

describe('requests with an expectation', () => {
  const suite = forSuite((scope) => startTestService(scope, { RATE_LIMIT: '40/3600', TRUST_PROXY: 'loopback' }))

  for (const [expectation, status] of [
    ['miracles', 417],
    ['100-continue', 200],
  ] as const) {
    it(`${expectation}: are answered up to the bound of requests that do not wait`, async () => {
      const one = get('/healthz', `Expect: ${expectation}`, `X-Forwarded-For: 192.0.2.${status % 256}`)
      const { received, isClosed } = await openSocket(suite().url, one.repeat(FLOOD_SIZE))
      await until(isClosed)
      assert.deepEqual(finalStatuses(received()), Array(MAX_PIPELINED + 1).fill(`HTTP/1.1 ${status}`))
    })

    it(`${expectation}: are paid for`, async () => {
      const from = `X-Forwarded-For: 198.51.100.${status % 256}`
      const some = get('/healthz', `Expect: ${expectation}`, from).repeat(20)
      for (let i = 0; i < 2; i++) {
        const statuses = finalStatuses(await sendRaw(suite().url, some))
        assert.deepEqual(statuses, Array(20).fill(`HTTP/1.1 ${status}`))
      }
      assert.deepEqual(finalStatuses(await sendRaw(suite().url, get('/healthz', `Expect: ${expectation}`, from))), [
        'HTTP/1.1 429',
      ])
    })
  }
})

const FROM = 'X-Forwarded-For: 203.0.113.5'
const ATTACK = '/api/v5/app/operator/overview?file=../../etc/passwd'

test('a banned address gets no other reply for an expectation', async (t) => {
  const { url } = await startTestService(t, { TRUST_PROXY: 'loopback' })
  const codeOf = async (request: string) => parseRaw(await sendRaw(url, request)).body.code
  assert.equal(await codeOf(get('/api', FROM, 'Expect: miracles')), 'EXPECTATION_FAILED')
  assert.equal(await codeOf(get(ATTACK, FROM)), 'BANNED')
  assert.equal(await codeOf(get('/api', FROM, 'Expect: miracles')), 'BANNED')
})

test('a URL that is too long is read by nothing, the search for attacks included', async (t) => {
  const { url } = await startTestService(t, { TRUST_PROXY: 'loopback' })
  const codeOf = async (path: string) => parseRaw(await sendRaw(url, get(path, FROM))).body.code
  assert.equal(await codeOf(ATTACK + 'a'.repeat(9000)), 'URI_TOO_LONG')
  assert.equal(await codeOf('/nope'), 'UNKNOWN_PATH')
  assert.equal(await codeOf(ATTACK), 'BANNED')
})
