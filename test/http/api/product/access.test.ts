import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APP, createToken, startApp } from '../../../kit/app.ts'
import { startTestService } from '../../../kit/service.ts'
import { until } from '../../../kit/until.ts'

const endpoints = [
  '/stats/downloads',
  '/launcher/updates',
  '/launcher/updates?format=electron&channel=beta',
  '/launcher/updates/beta.yml',
  '/launcher/news',
  '/launcher/news?format=rss',
  '/version/app/launcher',
  '/version/app/launcher/resources',
  '/version/tier/2',
  '/download/launcher',
]
const request = { name: 'Fox Launcher', contact: 'fox@example.org', reason: 'It looks for updates once a day.' }

test('registered: each endpoint requires a granted key, and links the page that requests one', async (t) => {
  const { fetchPath, fetchJson, dataDir, url } = await startTestService(t, { V5_ACCESS: 'registered' })
  const post = (path: string, init: RequestInit = {}) => fetchJson(APP + path, { method: 'POST', ...init })

  for (const path of [...endpoints, '/download/reshade', '/download/launcher/resources', '/version/tier/none']) {
    for (const method of ['GET', 'HEAD']) {
      const reply = await fetchPath(APP + path, { method })
      assert.equal(reply.status, 401, path)
      assert.equal(reply.headers.get('cache-control'), 'no-store')
      assert.equal(reply.headers.get('www-authenticate'), 'ApiKey realm="v5", header="X-Client-Key"')
      assert.equal(reply.headers.get('link'), `<${url}/v5-access>; rel="terms-of-service"`)
      if (method === 'HEAD') continue
      const { code, message, keyRequestUrl } = (await reply.json()) as Record<string, string>
      assert.deepEqual([code, keyRequestUrl], ['CLIENT_KEY_REQUIRED', `${url}/v5-access`], path)
      assert.match(message ?? '', /X-Client-Key.*Request a key at.*\/v5-access/)
    }
    const wrong = await fetchJson(APP + path, { headers: { 'X-Client-Key': 'mngc_wrong' } })
    assert.deepEqual([wrong.status, wrong.body.code], [401, 'CLIENT_KEY_INVALID'], path)
    assert.match(wrong.headers.get('www-authenticate') ?? '', /^ApiKey .*, error="invalid_key"$/)
  }

  const requested = await post('/clients', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
  })
  assert.deepEqual([requested.status, requested.body.state], [201, 'pending'])
  const { headers } = await createToken(dataDir)
  const granted = await post(`/operator/clients/${requested.body.id}/grant`, { headers })
  assert.equal(granted.status, 200)
  assert.deepEqual({ ...granted.body.client, ...request, id: requested.body.id, state: 'granted' }, granted.body.client)

  const key = { 'X-Client-Key': granted.body.key }
  for (const path of endpoints) {
    const reply = await fetchPath(APP + path, { headers: key })
    assert.equal(reply.status, 200, path)
    assert.match(reply.headers.get('cache-control') ?? '', /^private, /, 'no cache hands it to those without a key')
    const etag = reply.headers.get('etag') ?? ''
    assert.equal((await fetchPath(APP + path, { headers: { ...key, 'If-None-Match': etag } })).status, 304)
  }
  await post(`/operator/clients/${requested.body.id}/revoke`, { headers })
  await until(async () => (await fetchPath(`${APP}/version/tier/2`, { headers: key })).status === 401)
  assert.equal((await fetchJson('/api/v1/version')).status, 200, 'other versions need no key')
})

test('open: keys are ignored, and every reply links the policy, errors included', async (t) => {
  const { fetchPath, url } = await startApp(t, {})
  const reply = await fetchPath(`${APP}/launcher/updates`, { headers: { 'X-Client-Key': 'mngc_wrong' } })
  assert.equal(reply.status, 200)
  const missing = await fetchPath(`${APP}/version/tier/2`)
  assert.equal(missing.status, 404)
  assert.equal(missing.headers.get('link'), `<${url}/v5-access>; rel="terms-of-service"`)
})
