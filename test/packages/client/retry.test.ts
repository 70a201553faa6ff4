import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { createClient } from '../../../packages/client/src/index.ts'
import { startSource } from '../../kit/source.ts'
import { until } from '../../kit/until.ts'
import { failed } from './failed.ts'

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

/** A real server that answers the first requests as told, and then well. */
async function startMoody(t: TestContext, ...answers: Answer[]) {
  const asked: string[] = []
  const { url } = await startSource(t, (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const answer = answers.shift() ?? greet
    answer(response)
  })
  return { asked, url: url('') }
}

for (const [what, answer] of [
  ['429 with Retry-After', refuse(429, '0')],
  ['503 with Retry-After', refuse(503, '0')],
  ['503 with a date as Retry-After', refuse(503, new Date(Date.now() - 5000).toUTCString())],
  ['503 of a proxy, without JSON', (response: ServerResponse) => response.writeHead(503).end('<h1>Soon</h1>')],
  ['a connection that breaks', breakOff],
] as const) {
  test(`a GET that meets ${what} is tried again, and told nothing of it`, async (t) => {
    const { asked, url } = await startMoody(t, answer, answer)
    assert.equal((await createClient(url).random.kaomoji('cat')).message, '(=^.^=)')
    assert.deepEqual(asked, Array(3).fill('GET /api/v2/random/kaomoji/cat'))
  })
}

test('the pause is at least as long as Retry-After says', async (t) => {
  const { url } = await startMoody(t, refuse(429, '1'))
  const begun = performance.now()
  await createClient(url).random.kaomoji('cat')
  // Node's timers may be a millisecond early.
  assert.ok(performance.now() - begun >= 998)
})

test('after the last retry the error is what the service said', async (t) => {
  const { asked, url } = await startMoody(t, ...Array(9).fill(refuse(429, '0', 'RATE_LIMITED')))
  const { code, status, retryAfter } = await failed(createClient(url, { retries: 3 }).random.kaomoji('cat'))
  assert.deepEqual([code, status, retryAfter, asked.length], ['RATE_LIMITED', 429, 0, 4])
  await failed(createClient(url).random.kaomoji('cat', { retries: 0 }))
  assert.equal(asked.length, 5)
})

test('who is asked to wait longer than maxWaitMs is told at once', async (t) => {
  const { asked, url } = await startMoody(t, refuse(503, '3600'))
  const { retryAfter } = await failed(createClient(url).random.kaomoji('cat'))
  assert.deepEqual([retryAfter, asked.length], [3600, 1])
})

test('all pauses together stay within maxWaitMs', async (t) => {
  const { asked, url } = await startMoody(t, ...Array(99).fill(refuse(503)))
  await failed(createClient(url).random.kaomoji('cat', { retries: 98, maxWaitMs: 400 }))
  assert.ok(asked.length >= 2 && asked.length <= 4, String(asked.length))
})

test('a refusal that no waiting mends is not repeated', async (t) => {
  for (const status of [400, 403, 404, 500, 502, 504]) {
    const { asked, url } = await startMoody(t, refuse(status, '0'))
    assert.equal((await failed(createClient(url).random.kaomoji('cat'))).status, status)
    assert.equal(asked.length, 1)
  }
})

test('what changes something is never sent twice', async (t) => {
  for (const answer of [refuse(503, '0'), breakOff]) {
    const { asked, url } = await startMoody(t, answer)
    await failed(createClient(url).app().askForKey({ name: 'Fox', contact: 'fox@example.org', reason: 'Updates' }))
    assert.deepEqual(asked, ['POST /api/v5/app/clients'])
  }
})

test('a pause ends when the call is aborted', async (t) => {
  const { asked, url } = await startMoody(t, refuse(503, '9'))
  const controller = new AbortController()
  const reason = new Error('the user left')
  const call = createClient(url).random.kaomoji('cat', { signal: controller.signal })
  await until(() => asked.length === 1)
  setTimeout(() => controller.abort(reason), 50)
  await assert.rejects(call, (error) => error === reason)
  assert.equal(asked.length, 1)
})
