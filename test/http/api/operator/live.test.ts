import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { APP, createToken, startApp } from '../../../kit/app.ts'
import { forSuite } from '../../../kit/scope.ts'
import { until } from '../../../kit/until.ts'

const LIVE = `${APP}/operator/live`

describe('the endpoints of the dashboard', () => {
  const app = forSuite((scope) => startApp(scope, {}))
  const operatorWith = async (options: Parameters<typeof createToken>[1]) => {
    const operator = await createToken(app().dataDir, options)
    await until(async () => (await app().fetchPath(LIVE, operator)).status === 200)
    return operator
  }

  test('recent activity requires a token and counts requests', async () => {
    const { fetchJson } = app()
    assert.equal((await fetchJson(LIVE)).status, 401)
    const operator = await operatorWith({ scopes: ['read'] })
    for (let n = 0; n < 20; n++) await fetchJson('/api/v1/version')
    const live = async (query = '') => (await fetchJson(`${LIVE}${query}`, operator)).body.live
    const versions = ({ groups }: { groups: Record<string, number[]> }) =>
      (groups['Developer information'] ?? []).reduce((sum, count) => sum + count, 0)
    await until(async () => versions(await live()) >= 20, 12_000)
    const { at, step, node } = await live('?step=60')
    assert.equal(step, 60)
    assert.equal(at.at(-1) % 60_000, 0)
    const later = await live(`?step=60&since=${at.at(-1)}`)
    assert.deepEqual([later.at[0], later.node], [at.at(-1), node])
  })

  test('an invalid slot length or time is refused with the allowed values', async () => {
    const { fetchJson } = app()
    const operator = await operatorWith({ scopes: ['read'] })
    const steps = await fetchJson(`${LIVE}?step=7`, operator)
    assert.deepEqual([steps.status, steps.body.allowed], [400, ['5', '15', '60']])
    for (const since of ['-1', 'yesterday', '1.5', '9'.repeat(16)]) {
      assert.equal((await fetchJson(`${LIVE}?since=${since}`, operator)).status, 400, since)
    }
  })

  test('the token endpoint returns label, scopes and expiry, and nothing secret', async () => {
    const { fetchJson } = app()
    const expiresAt = Date.now() + 3600_000
    const operator = await operatorWith({ scopes: ['read'], expiresAt })
    const { body } = await fetchJson(`${APP}/operator/token`, operator)
    assert.deepEqual(body.token, {
      id: operator.id,
      label: 'a test',
      scopes: ['read'],
      expiresAt: new Date(expiresAt).toISOString(),
    })
    assert.equal(body.client, '127.0.0.1')
    assert.equal((await fetchJson(`${APP}/operator/token`)).status, 401)
  })
})
