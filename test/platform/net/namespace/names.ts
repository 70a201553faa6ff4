import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { createFetcher, createResolver, FetchError } from '../../../../src/platform/net/index.ts'
import type { Scope } from '../../../kit/scope.ts'
import { startDns } from '../dns-server.ts'
import { failsWith, signal } from '../kit.ts'
import { startConnectionRecorder } from './connection-recorder.ts'

async function createFetcherWithDns(t: Scope, answers: (name: string) => string[] | undefined) {
  return createFetcher({ totalTimeoutMs: 5000, resolve: createResolver([await startDns(t, answers)]) })
}

const refusedNames: Record<string, string[]> = {
  'private.example': ['10.0.0.1'],
  'loopback.example': ['127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'private6.example': ['fd00:ec2::254'],
  'mapped.example': ['::ffff:10.0.0.1'],
  'nat64.example': ['64:ff9b::a00:1'],
  'mixed.example': ['8.8.8.8', '192.168.7.7'],
  'mixed-first.example': ['192.168.7.7', '8.8.8.8'],
  'mixed-families.example': ['8.8.8.8', '::1'],
  'xn--bcher-kva.example': ['172.16.9.9'],
}

test('a name with any non-public address is refused without naming the address', async (t) => {
  const recorder = await startConnectionRecorder(t, (_request, response) => void response.end())
  const fetcher = await createFetcherWithDns(t, (name) => refusedNames[name])
  for (const name of [...Object.keys(refusedNames), 'bücher.example', 'PRIVATE.example.']) {
    const error = await fetcher.get(`http://${name}/`, { signal: signal() }).catch((error: unknown) => error)
    assert.ok(failsWith('forbidden-address')(error), name)
    const text = error instanceof FetchError ? error.message + JSON.stringify(error.details) : ''
    for (const address of refusedNames[name] ?? []) assert.ok(!text.includes(address), text)
  }
  assert.deepEqual(recorder.takeConnected(), [])
})

test('if the addresses of a name change, the fetch connects to an address that was checked, or is refused', async (t) => {
  const recorder = await startConnectionRecorder(t, (_request, response) => void response.end('here'))
  let questions = 0
  // A fetch asks for A and for AAAA. The answer changes with each fetch, with each question, or at random.
  for (const answer of [
    () => Math.floor(questions++ / 2) % 2,
    () => questions++ % 2,
    () => Math.round(Math.random()),
  ]) {
    const fetcher = await createFetcherWithDns(t, () => [['8.8.8.8', '10.0.0.1'][answer()]!])
    let reached = 0
    for (let n = 0; n < 20; n++) {
      const outcome = await fetcher.get('http://rebind.example/', { signal: signal() }).catch((error: unknown) => error)
      if (outcome instanceof Error) assert.ok(failsWith('forbidden-address')(outcome))
      else reached++
    }
    assert.deepEqual(recorder.takeConnected(), Array(reached).fill('8.8.8.8'))
  }
})

test('a public name that redirects to itself is checked again', async (t) => {
  const recorder = await startConnectionRecorder(t, (_request, response) => {
    moved = true
    response.writeHead(302, { location: 'http://rebind.example/again' }).end()
  })
  let moved = false
  const fetcher = await createFetcherWithDns(t, () => [moved ? '127.0.0.1' : '8.8.8.8'])
  const refused = fetcher.get('http://rebind.example/', { signal: signal() })
  await assert.rejects(refused, failsWith('forbidden-address'))
  assert.deepEqual(recorder.takeConnected(), ['8.8.8.8'])
})

test('a public name is reached, even if only its last address answers', async (t) => {
  const recorder = await startConnectionRecorder(t, (request, response) => void response.end(request.headers.host))
  const fetcher = await createFetcherWithDns(t, () => ['8.8.8.8', '8.8.4.4', '2606:4700::1111'])
  const first = await fetcher.get('http://two.example/', { signal: signal() })
  assert.equal(first.body.toString(), 'two.example')
  assert.deepEqual(recorder.takeConnected(), ['8.8.8.8'])

  const last = createServer((_request, response) => void response.end('last'))
  last.listen({ port: 8080, host: '::', ipv6Only: true })
  t.after(() => void last.close())
  await once(last, 'listening')
  const { body } = await fetcher.get('http://two.example:8080/', { signal: signal() })
  assert.equal(body.toString(), 'last')
})

test('an unknown name fails as unreachable', async (t) => {
  const fetcher = await createFetcherWithDns(t, () => undefined)
  const outcome = fetcher.get('http://nobody.example/', { signal: signal() })
  await assert.rejects(outcome, failsWith('unreachable', { sourceStatus: undefined }))
})
