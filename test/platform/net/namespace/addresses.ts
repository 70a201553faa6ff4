import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, isIPv6 } from 'node:net'
import { test } from 'node:test'
import { createFetcher } from '../../../../src/platform/net/index.ts'
import { allowedIPv4, allowedIPv6, forbiddenIPv4, forbiddenIPv6, forbiddenSpellings } from '../addresses.ts'
import { failsWith, signal } from '../kit.ts'
import { startConnectionRecorder } from './connection-recorder.ts'

const forbidden = [...forbiddenIPv4, ...forbiddenIPv6]
const inUrl = (address: string) => (isIPv6(address) ? `[${address}]` : address)
const fetcher = createFetcher({ totalTimeoutMs: 5000 })

test('the recorder notices connections to forbidden addresses', async (t) => {
  const recorder = await startConnectionRecorder(t, (_request, response) => void response.end())
  for (const address of forbidden) {
    const socket = connect(80, address)
    await once(socket, 'connect', { signal: AbortSignal.timeout(200) }).catch(() => {})
    socket.destroy()
  }
  // Multicast, broadcast and a few more cannot be connected to at all.
  const count = recorder.takeConnected().length
  assert.ok(count > forbidden.length * 0.85, `${count} of ${forbidden.length}`)
})

test('no connection is opened to a forbidden address, in any spelling', async (t) => {
  const recorder = await startConnectionRecorder(t, (_request, response) => void response.end())
  for (const host of [...forbidden.map(inUrl), ...forbiddenSpellings]) {
    const refused = fetcher.get(`http://${host}/`, { signal: signal() })
    await assert.rejects(refused, failsWith('forbidden-address'), host)
  }
  assert.deepEqual(recorder.takeConnected(), [])
})

test('no redirect leads to a forbidden address', async (t) => {
  const recorder = await startConnectionRecorder(t, (request, response) => {
    const location = decodeURIComponent(request.url!.slice(1)).replace(/[^ -~]+/gu, encodeURIComponent)
    response.writeHead(302, { location }).end()
  })
  for (const host of [...forbidden.map(inUrl), ...forbiddenSpellings]) {
    const refused = fetcher.get(`http://8.8.8.8/${encodeURIComponent(`http://${host}/`)}`, { signal: signal() })
    await assert.rejects(refused, failsWith('forbidden-address'), host)
  }
  const connected = new Set(recorder.takeConnected())
  assert.deepEqual([...connected], ['8.8.8.8'])
})

test('public addresses next to special ranges are reached', async (t) => {
  const recorder = await startConnectionRecorder(t, (_request, response) => void response.end('here'))
  for (const address of [...allowedIPv4, ...allowedIPv6]) {
    const { body } = await fetcher.get(`http://${inUrl(address)}/`, { signal: signal() })
    assert.equal(body.toString(), 'here')
    assert.deepEqual(recorder.takeConnected(), [address])
  }
})
