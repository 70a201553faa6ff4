import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPrefixMatcher } from '../../../src/http/api/ban-checks.ts'
import { success } from '../../../src/http/kernel/replies.ts'
import { get } from '../../../src/http/kernel/route.ts'
import { createRouter } from '../../../src/http/kernel/router.ts'
import { APP } from '../../kit/app.ts'
import { startTestService } from '../../kit/service.ts'

const PREFIX = '/api/v5/app/operator'
const match = createPrefixMatcher(PREFIX)
const router = createRouter([get(`${PREFIX}/bans`, { tag: '', summary: '', handle: () => success({}) })])

const SPELLINGS = [
  '/api/v5/app/operator/bans',
  '/api/v5/app/operator/bans?x=1',
  '/api/v5/app/operator/b%61ns',
  '/api/v5/app/%6fperator/bans',
  '/api/v5/ap%70/operator/bans?x=%',
  '/%61%70%69/v5/app/%6F%70%65%72%61%74%6F%72/bans',
]

for (const url of SPELLINGS) {
  test(`${url} is an operator path, as for the router`, () => {
    assert.ok(router.find('GET', url))
    assert.match(match(url) ?? '', /^\/b(?:a|%61)ns/)
  })
}

const ELSEWHERE = [
  '/',
  '*',
  '',
  '/api/v5/app/operators',
  '/api/v5/app/operator-guide?q=javascript:',
  '/api/v5/app/operator%73/bans',
  '/api/v5/app/%6fperators?x=../../etc/passwd',
  '/api/v5/app%2foperator/bans',
  '/api/v5/other/operator/bans',
  '/API/v5/app/operator/bans',
  '//api/v5/app/operator/bans',
  '/%ff/api/v5/app/operator/bans',
  '/docs?next=/api/v5/app/operator/bans',
  'ftp://x/api/v5/app/operator/bans',
]

for (const url of ELSEWHERE) {
  test(`${url || '(empty)'} is not an operator path, as for the router`, () => {
    assert.equal(router.find('GET', url), undefined)
    assert.equal(match(url), undefined)
  })
}

test('the part after the prefix is returned', () => {
  assert.equal(match(PREFIX), '')
  assert.equal(match(`${PREFIX}?x=1`), '?x=1')
  assert.equal(match(`${PREFIX}%2F..%2f`), '%2F..%2f')
  assert.equal(match(`${PREFIX}/a%2fb?c=%2f`), '/a%2fb?c=%2f')
})

test('BAN_WRONG_TOKENS sets how many wrong tokens lead to a ban', async (t) => {
  const service = await startTestService(t, { BAN_WRONG_TOKENS: '2/60', TRUST_PROXY: 'loopback' })
  const headers = { 'X-Forwarded-For': '203.0.113.5', Authorization: 'Bearer wrong' }
  const codes: string[] = []
  for (let i = 0; i < 3; i++) codes.push((await service.fetchJson(`${APP}/operator/overview`, { headers })).body.code)
  assert.deepEqual(codes, ['TOKEN_INVALID', 'TOKEN_INVALID', 'BANNED'])
})
