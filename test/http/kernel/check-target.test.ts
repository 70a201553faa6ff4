// Which host and path a request means, where it says so in an unusual way.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRaw, sendRaw } from '../../kit/raw.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'

const request = (target: string, ...headers: string[]) =>
  `${[`GET ${target} HTTP/1.1`, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`

describe('the target of a request', () => {
  const suite = forSuite((scope) => startTestService(scope, { TRUST_PROXY: '127.0.0.0/8' }))
  const ask = async (text: string) => parseRaw(await sendRaw(suite().url, text))
  const docsOf = async (text: string) => (await ask(text)).body.links?.docs

  it('two Host headers are 400, whichever of them would be right', async () => {
    for (const [one, other] of [
      ['a.example', 'b.example'],
      ['a.example', 'a.example'],
      ['', 'a.example'],
    ]) {
      const { status, body } = await ask(request('/api', `Host: ${one}`, `hOST: ${other}`))
      assert.deepEqual([status, body.code], [400, 'BAD_REQUEST'])
    }
    assert.equal((await ask(request('/api', 'Host: a.example', 'X-Host: b.example'))).status, 200)
  })

  it('a whole URL as the target counts instead of the Host header', async () => {
    assert.equal(await docsOf(request('http://a.example/api', 'Host: b.example')), 'http://a.example/docs')
    assert.equal(await docsOf(request('HTTPS://a.example:81/api?x', 'Host: b.example')), 'http://a.example:81/docs')
    assert.equal(await docsOf(request('http://me@a.example/api', 'Host: b.example')), `${suite().url}/docs`)
    const { status, body } = await ask(request('http://a.example/api'))
    assert.deepEqual([status, body.code], [400, 'BAD_REQUEST'])
    for (const root of ['http://a.example', 'http://a.example?x']) {
      assert.match(await sendRaw(suite().url, request(root, 'Host: a.example')), /^HTTP\/1\.1 200 OK/)
    }
  })

  it('an attack is seen in a whole URL, too', async () => {
    const from = 'X-Forwarded-For: 203.0.113.5'
    const attack = 'http://x/api/v5/app/operator/overview?file=../../etc/passwd'
    assert.equal((await ask(request(attack, 'Host: x', from))).body.code, 'BANNED')
  })

  it('what looks like a host and is none is not echoed', async () => {
    for (const host of ['a.b:99999', '[::::]', '1.2.3.999', '[1:2]']) {
      assert.equal(await docsOf(request('/api', `Host: ${host}`)), `${suite().url}/docs`, host)
      assert.equal(await docsOf(request('/api', 'Host: x', `X-Forwarded-Host: ${host}`)), `${suite().url}/docs`, host)
    }
    for (const host of ['a_b.example', '[::1]:80', '192.0.2.1:65535', 'localhost']) {
      assert.equal(await docsOf(request('/api', `Host: ${host}`)), `http://${host}/docs`)
    }
  })

  it('where another protocol is offered, the reply is the last: what came with the request is not read', async () => {
    const upgrade = ['Host: x', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk']
    const first = `GET /healthz HTTP/1.1\r\n${upgrade.join('\r\n')}\r\n\r\n`
    const plain = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
    const received = await sendRaw(suite().url, first + plain, { silenceMs: 5000 })
    assert.match(received, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nConnection: close\r\n/)
    assert.equal(received.match(/HTTP\/1\.1/g)?.length, 1)
    const both = await sendRaw(suite().url, plain + plain)
    assert.equal(both.match(/Connection: keep-alive/g)?.length, 2)
  })
})
