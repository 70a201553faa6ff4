import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { APP, createToken } from '../../kit/app.ts'
import { startPictureSource } from '../../kit/picture-source.ts'
import { createNoisyImage } from '../../kit/pictures.ts'
import { sendRaw } from '../../kit/raw-http.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'
import { until } from '../../kit/until.ts'

const ADDRESS = '203.0.113.77'
const NETWORK = '2001:db8:1:2'
const SECRET = 'mngc_abcdefgh12345678'
const FIELDS = ['level', 'time', 'msg', 'id', 'client', 'method', 'path', 'status', 'bytes', 'ms']

describe('the public log', () => {
  const suite = forSuite(async (scope) => {
    const source = await startPictureSource(scope)
    const service = await startTestService(scope, { TRUST_PROXY: 'loopback', FILTER_ALLOW_HOSTS: source.host })
    return { source, service }
  })
  let asked = 0

  /** The lines of one request, once they are on the disk. */
  async function logged(path: string, init: RequestInit = {}) {
    const { service } = suite()
    const client = `198.51.100.${asked++}`
    const headers = { 'x-forwarded-for': client, ...(init.headers as Record<string, string>) }
    const reply = await fetch(service.url + path, { redirect: 'manual', ...init, headers })
    const id = reply.headers.get('x-request-id') ?? ''
    await until(async () => (await wholeLog()).includes(`"id":"${id}"`))
    const line = (await wholeLog()).split('\n').find((text) => text.includes(`"id":"${id}"`)) ?? ''
    return { reply, line, told: JSON.parse(line) }
  }

  async function wholeLog(): Promise<string> {
    const dir = join(suite().service.dataDir, 'logs')
    const texts = await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name), 'utf8')))
    return texts.join('')
  }

  it('has one JSON object per request, with the network of the client and without the query', async () => {
    const { told } = await logged('/api/v1/animals/cat?format=json&anything=hunter2')
    assert.deepEqual(Object.keys(told), FIELDS)
    const { client, method, path, status } = told
    assert.deepEqual([client, method, path, status], ['198.51.100.0/24', 'GET', '/api/v1/animals/cat', 200])
  })

  it('shortens an IPv6 address to its /48', async () => {
    const { told } = await logged('/healthz', { headers: { 'x-forwarded-for': `${NETWORK}:3:4:5:6` } })
    assert.equal(told.client, '2001:db8:1::/48')
  })

  it('names only the host of an image', async () => {
    const { source } = suite()
    const image = source.put('/private/cat.png', { type: 'image/png', body: await createNoisyImage('png', 8, 8) })
    const { reply, line, told } = await logged(
      `/api/v1/filter/invert?image=${encodeURIComponent(`${image}?key=hunter2`)}`,
    )
    assert.equal(reply.status, 200)
    assert.equal(told.note, '127.0.0.1')
    assert.doesNotMatch(line, /private|hunter2|cat\.png/)
  })

  for (const path of [
    `/api/v1/animals/${SECRET}`,
    `/${SECRET}`,
    `/media/animals/cat/${SECRET}.png`,
    `/api/v1/static/generated/a/${SECRET}`,
    `/api/v1/animals/${ADDRESS}`,
    `/${ADDRESS}/x`,
    `/api/v1/animals/${encodeURIComponent(`${NETWORK}::9`)}`,
    `/api/v1/animals/${encodeURIComponent(encodeURIComponent(`${NETWORK}::9`))}`,
    '/api/v1/filter/blur/https://user:hunter2@pictures.example/private.png',
    '/https%3A%2F%2Fuser%3Ahunter2%40pictures.example%2Fprivate.png',
    '/media/animals/cat/ann@hunter2.example',
  ]) {
    it(`contains nothing private of ${path}`, async () => {
      const { line } = await logged(path)
      for (const secret of [SECRET, ADDRESS, `${NETWORK}:`, '2001%', 'hunter2', 'private']) {
        assert.ok(!line.includes(secret), line)
      }
    })
  }

  it('contains nothing private of an absolute request URL', async () => {
    const { service } = suite()
    await sendRaw(
      service.url,
      `GET http://user:hunter2@x.example/${SECRET} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    )
    await logged('/healthz')
    assert.doesNotMatch(await wholeLog(), /hunter2|mngc_/)
  })

  it('does not name the address whose ban was lifted', async () => {
    const { headers } = await createToken(suite().service.dataDir)
    const { reply, told } = await logged(`${APP}/operator/bans/${ADDRESS}`, { method: 'DELETE', headers })
    assert.equal(reply.status, 404)
    assert.equal(told.path, `${APP}/operator/bans/203.0.113.0/24`)
  })

  it('names only the network of a banned address', async () => {
    const attack = `${APP}/operator/bans?x=../../etc/passwd`
    await logged(attack, { headers: { 'x-forwarded-for': `${NETWORK}::9` } })
    await logged(attack, { headers: { 'x-forwarded-for': ADDRESS } })
    await until(async () => (await wholeLog()).split('address banned').length === 3)
    const log = await wholeLog()
    assert.match(log, /"client":"2001:db8:1::\/48","reason"/)
    assert.match(log, /"client":"203\.0\.113\.0\/24","reason"/)
    assert.ok(!log.includes(ADDRESS) && !log.includes(NETWORK))
  })
})
