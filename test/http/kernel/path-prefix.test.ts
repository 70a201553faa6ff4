import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPrefixMatcher } from '../../../src/http/kernel/path-prefix.ts'
import { success } from '../../../src/http/kernel/replies.ts'
import { get } from '../../../src/http/kernel/route.ts'
import { createRouter } from '../../../src/http/kernel/router.ts'

const PREFIX = '/api/v5/app/operator'
const below = createPrefixMatcher(PREFIX)
const router = createRouter([get(`${PREFIX}/bans`, { tag: '', summary: '' }, () => success({}))])

const SPELLINGS = [
  '/api/v5/app/operator/bans',
  '/api/v5/app/operator/bans?x=1',
  '/api/v5/app/operator/b%61ns',
  '/api/v5/app/%6fperator/bans',
  '/api/v5/ap%70/operator/bans?x=%',
  '/%61%70%69/v5/app/%6F%70%65%72%61%74%6F%72/bans',
]

for (const url of SPELLINGS) {
  test(`${url} is below, as the router finds it`, () => {
    assert.ok(router.find('GET', url))
    assert.match(below(url) ?? '', /^\/b(?:a|%61)ns/)
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
  test(`${url || '(nothing)'} is elsewhere, for the router too`, () => {
    assert.equal(router.find('GET', url), undefined)
    assert.equal(below(url), undefined)
  })
}

test('what follows is told, the path itself included', () => {
  assert.equal(below(PREFIX), '')
  assert.equal(below(`${PREFIX}?x=1`), '?x=1')
  assert.equal(below(`${PREFIX}%2F..%2f`), '%2F..%2f')
  assert.equal(below(`${PREFIX}/a%2fb?c=%2f`), '/a%2fb?c=%2f')
})
