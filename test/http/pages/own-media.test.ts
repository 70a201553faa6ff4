import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOwnMedia } from '../../../src/http/pages/playground/own-media.ts'

test('only a parsed path below /media/ is a picture of this service', () => {
  const isOwn = (path: string, base = 'https://a.example/zoo') => findOwnMedia(`https://a.example${path}`, base)
  assert.equal(isOwn('/zoo/media/animals/fox/~b.png?a=../x#y'), 'media/animals/fox/~b.png?a=../x')
  assert.equal(isOwn('/zoo/x/..//media/../media/fox'), undefined)
  assert.equal(isOwn('/x/../media/fox', 'https://a.example'), 'media/fox')
  const dots = ['..', './..', '%2e%2e', '%2E.', '%252e%252e', '%25252e%25252e', '.\t.'].map((up) => `media/${up}/api`)
  const others = [
    'media/..%2fapi',
    'media/..%5capi',
    'media\\..\\api',
    'media',
    'mediator/x',
    'api/media/x',
    '../media/x',
  ]
  for (const path of [...dots, ...others]) assert.equal(isOwn(`/zoo/${path}`), undefined, path)
  for (const other of ['http://a.example/zoo/media/x', 'https://b.example/zoo/media/x', '/zoo/media/x', 'media/x', ''])
    assert.equal(findOwnMedia(other, 'https://a.example/zoo'), undefined, other)
})
