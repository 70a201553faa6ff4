import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { createClient } from '../../../packages/client/src/index.ts'
import { startSource } from '../../kit/source.ts'
import { until } from '../../kit/until.ts'
import { failureOf } from './failure.ts'

type Answer = (response: ServerResponse) => void

const refuse =
  (status: number, retryAfter?: string, code = 'BUSY'): Answer =>
  (response) => {
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ success: false, status, code, message: 'Try again.' }))
  }
const greet: Answer = (response) => response.end('{"success":true,"status":200,"message":"(=^.^=)"}')
const breakOff: Answer = (response) => void response.destroy()

/** Starts a server that gives these answers to the first requests, and then succeeds. */
async function startFlaky(t: TestContext, ...answers: Answer[]) {
  const requests: string[] = []
  const { url } = await startSource(t, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const answer = answers.shift() ?? greet
    answer(response)
  })
  return { requests, url: url('') }
}

for (const [what, answer] of [
  ['429 with Retry-After', refuse(429, '0')],
  ['503 with Retry-After', refuse(503, '0')],
  ['503 with a date as Retry-After', refuse(503, new Date(Date.now() - 5000).toUTCString())],
  ['503 of a proxy, without JSON', (response: ServerResponse) => response.writeHead(503).end('<h1>Soon</h1>')],
  ['a connection that breaks', breakOff],
] as const) {
  test(`a GET that meets ${what} is retried`, async (t) => {
    const { requests, url } = await startFlaky(t, answer, answer)
    assert.equal((await createClient(url).random.kaomoji('cat')).message, '(=^.^=)')
    assert.deepEqual(requests, Array(3).fill('GET /api/v2/random/kaomoji/cat'))
  })
}

test('the pause is at least as long as Retry-After', async (t) => {
  const { url } = await startFlaky(t, refuse(429, '1'))
  const begun = performance.now()
  await createClient(url).random.kaomoji('cat')
  // Node's timers may be a millisecond early.
  assert.ok(performance.now() - begun >= 998)
})

test('after the last retry the call fails with the error of the service', async (t) => {
  const { requests, url } = await startFlaky(t, ...Array(9).fill(refuse(429, '0', 'RATE_LIMITED')))
  const { code, status, retryAfter } = await failureOf(createClient(url, { retries: 3 }).random.kaomoji('cat'))
  assert.deepEqual([code, status, retryAfter, requests.length], ['RATE_LIMITED', 429, 0, 4])
  await failureOf(createClient(url).random.kaomoji('cat', { retries: 0 }))
  assert.equal(requests.length, 5)
})

test('a Retry-After beyond maxWaitMs fails the call at once', async (t) => {
  const { requests, url } = await startFlaky(t, refuse(503, '3600'))
  const { retryAfter } = await failureOf(createClient(url).random.kaomoji('cat'))
  assert.deepEqual([retryAfter, requests.length], [3600, 1])
})

test('all pauses together stay within maxWaitMs', async (t) => {
  const { requests, url } = await startFlaky(t, ...Array(99).fill(refuse(503)))
  await failureOf(createClient(url).random.kaomoji('cat', { retries: 98, maxWaitMs: 400 }))
  assert.ok(requests.length >= 2 && requests.length <= 4, String(requests.length))
})

test('an error that waiting cannot fix is not retried', async (t) => {
  for (const status of [400, 403, 404, 500, 502, 504]) {
    const { requests, url } = await startFlaky(t, refuse(status, '0'))
    assert.equal((await failureOf(createClient(url).random.kaomoji('cat'))).status, status)
    assert.equal(requests.length, 1)
  }
})

test('a call that changes something is never sent twice', async (t) => {
  for (const answer of [refuse(503, '0'), breakOff]) {
    const { requests, url } = await startFlaky(t, answer)
    await failureOf(createClient(url).app().askForKey({ name: 'Fox', contact: 'fox@example.org', reason: 'Updates' }))
    assert.deepEqual(requests, ['POST /api/v5/app/clients'])
  }
})

test('a pause ends when the call is aborted', async (t) => {
  const { requests, url } = await startFlaky(t, refuse(503, '9'))
  const controller = new AbortController()
  const reason = new Error('the user left')
  const call = createClient(url).random.kaomoji('cat', { signal: controller.signal })
  await until(() => requests.length === 1)
  setTimeout(() => controller.abort(reason), 50)
  await assert.rejects(call, (error) => error === reason)
  assert.equal(requests.length, 1)
})
