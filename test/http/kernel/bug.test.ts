import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createApp } from '../../../src/http/kernel/app.ts'
import { json } from '../../../src/http/kernel/replies.ts'
import { get, type Route } from '../../../src/http/kernel/route.ts'

async function serve(t: TestContext, routes: Route[]) {
  const logged: Record<string, unknown>[] = []
  const note = (fields: object) => void logged.push(fields as Record<string, unknown>)
  const log = { debug: note, info: note, warn: note, error: note } as never
  const server = createApp({ routes, log, observe: () => {}, publicUrl: '', trustProxy: [] })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise((resolve) => server.close(resolve)))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, logged }
}

const broken = () => {
  throw new TypeError('secret /srv/file of 10.0.0.1')
}

test('a bug is 500 with a requestId, tells nothing, and the log has the rest', async (t) => {
  const { url, logged } = await serve(t, [
    get('/sync', { tag: '', summary: '' }, broken),
    get('/async', { tag: '', summary: '' }, async () => broken()),
    get('/good', { tag: '', summary: '' }, () => json({})),
  ])
  for (const path of ['/sync', '/async']) {
    const response = await fetch(url + path)
    const body = (await response.json()) as Record<string, string>
    assert.equal(response.status, 500)
    assert.equal(body.code, 'INTERNAL_ERROR')
    assert.equal(body.requestId, response.headers.get('x-request-id'))
    assert.doesNotMatch(JSON.stringify(body), /secret|srv|TypeError/)
    const line = logged.find(({ requestId }) => requestId === body.requestId)
    assert.match(String(line?.err), /^TypeError: secret/)
  }
  assert.equal((await fetch(`${url}/good`)).status, 200)
})
