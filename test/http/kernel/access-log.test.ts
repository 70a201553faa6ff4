import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { APP, createToken } from '../../kit/app.ts'
import { readLogs } from '../../kit/log-files.ts'
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
  let requests = 0

  /** The lines of one request, once they are on the disk. */
  async function logged(path: string, init: RequestInit = {}) {
    const { service } = suite()
    const client = `198.51.100.${requests++}`
    const headers = { 'x-forwarded-for': client, ...(init.headers as Record<string, string>) }
    const reply = await fetch(service.url + path, { redirect: 'manual', ...init, headers })
    const id = reply.headers.get('x-request-id') ?? ''
    // The last line may still be incomplete.
    const findLine = async () =>
      (await readAll())
        .split('\n')
        .slice(0, -1)
        .find((line) => line.includes(`"id":"${id}"`))
    await until(async () => (await findLine()) !== undefined)
    const line = (await findLine()) ?? ''
    return { reply, line, entry: JSON.parse(line) }
  }

  const readAll = () => readLogs(suite().service.dataDir)

  it('has one JSON object per request, with the network of the client and without the query', async () => {
    const { entry } = await logged('/api/v1/animals/cat?format=json&anything=hunter2')
    assert.deepEqual(Object.keys(entry), FIELDS)
    const { client, method, path, status } = entry
    assert.deepEqual([client, method, path, status], ['198.51.100.0/24', 'GET', '/api/v1/animals/cat', 200])
  })

  it('shortens an IPv6 address to its /48', async () => {
    const { entry } = await logged('/healthz', { headers: { 'x-forwarded-for': `${NETWORK}:3:4:5:6` } })
    assert.equal(entry.client, '2001:db8:1::/48')
  })

  it('names only the host of an image', async () => {
    const { source } = suite()
    const image = source.put('/private/cat.png', { type: 'image/png', body: await createNoisyImage('png', 8, 8) })
    const { reply, line, entry } = await logged(
      `/api/v1/filter/invert?image=${encodeURIComponent(`${image}?key=hunter2`)}`,
    )
    assert.equal(reply.status, 200)
    assert.equal(entry.note, '127.0.0.1')
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
    assert.doesNotMatch(await readAll(), /hunter2|mngc_/)
  })

  it('does not contain the name of a drawing, which may be that of a person', async () => {
    for (const [path, written] of [
      ['/media/animals/fox/~Ada.Lovelace@example.org.svg', '/media/animals/fox/'],
      ['/a/fox/Ada.Lovelace', '/a/:kind/:name'],
    ] as const) {
      const { reply, entry } = await logged(path)
      assert.deepEqual([reply.status, entry.path], [200, written])
    }
    for (const path of ['/a/fox/Ada/', '/A/fox/Ada', '//a/fox/Ada', '/a//Ada', '/a/Ada', '/a/fox/x/Ada'])
      assert.doesNotMatch((await logged(path)).line, /Ada/, path)
    assert.equal((await logged('/a/fox/Ada', { method: 'DELETE' })).entry.path, '/a')
    assert.equal((await logged('/about/fox/x')).entry.path, '/about/fox/x')
  })

  it('does not name what an operator changes, such as a scheduled release or the address of a ban', async () => {
    const { headers } = await createToken(suite().service.dataDir)
    const change = { headers: { ...headers, 'content-type': 'application/json' }, body: '{}' }
    const release = await logged(`${APP}/operator/releases/launcher/9.9.9`, { method: 'PUT', ...change })
    assert.equal(release.reply.status, 400)
    assert.equal(release.entry.path, `${APP}/operator/releases/:application/:version`)
    const ban = await logged(`${APP}/operator/bans/${ADDRESS}`, { method: 'DELETE', headers })
    assert.equal(ban.reply.status, 404)
    assert.equal(ban.entry.path, `${APP}/operator/bans/:address`)
  })

  it('counts requests that no limit stops, instead of a line for each that would displace all others', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    const sent = 200
    const requests = Array.from({ length: sent }, () => fetch(`${suite().service.url}/healthz`, { headers }))
    await Promise.all((await Promise.all(requests)).map((reply) => reply.text()))
    const count = async () => {
      const entries = (await readAll())
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
      const lines = entries.filter(({ client }) => client === '192.0.2.0/24').length
      const omitted = entries.filter(({ msg }) => msg === 'requests without lines')
      return { lines, omitted: omitted.reduce((sum, entry) => sum + entry.count, 0) }
    }
    // The requests of a second are counted at the first request after it.
    await until(async () => {
      await logged('/api/v1/version')
      const { lines, omitted } = await count()
      return lines + omitted === sent
    })
    const { lines } = await count()
    assert.ok(lines >= 10 && lines < sent / 2, `${lines} lines`)
  })

  it('names only the network of a banned address', async () => {
    const attack = `${APP}/operator/bans?x=../../etc/passwd`
    await logged(attack, { headers: { 'x-forwarded-for': `${NETWORK}::9` } })
    await logged(attack, { headers: { 'x-forwarded-for': ADDRESS } })
    await until(async () => (await readAll()).split('address banned').length === 3)
    const log = await readAll()
    assert.match(log, /"client":"2001:db8:1::\/48","reason"/)
    assert.match(log, /"client":"203\.0\.113\.0\/24","reason"/)
    assert.ok(!log.includes(ADDRESS) && !log.includes(NETWORK))
  })
})
