import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { parseStoreUrl } from '../../src/config/store-url.ts'
import { OperatorError } from '../../src/errors/index.ts'

const login = { username: 'ann', password: 'p@ss:word' }

test('STORE_URL names a file, one Redis, sentinels or a cluster, with optional ports, login and TLS', () => {
  assert.deepEqual(parseStoreUrl('redis-sentinel://a:1,b.example,[::1]:3/house?db=2'), {
    kind: 'sentinel',
    sentinels: [
      { host: 'a', port: 1 },
      { host: 'b.example', port: 26_379 },
      { host: '::1', port: 3 },
    ],
    master: 'house',
    database: 2,
    tls: false,
  })
  assert.deepEqual(parseStoreUrl('rediss-sentinel://ann:p%40ss:word@a:1/house'), {
    kind: 'sentinel',
    sentinels: [{ host: 'a', port: 1 }],
    master: 'house',
    database: 0,
    tls: true,
    ...login,
  })
  assert.deepEqual(parseStoreUrl('rediss-cluster://:secret@a,b:7000'), {
    kind: 'cluster',
    nodes: [
      { host: 'a', port: 6379 },
      { host: 'b', port: 7000 },
    ],
    password: 'secret',
    tls: true,
  })
  assert.deepEqual(parseStoreUrl('redis://a'), { kind: 'single', url: 'redis://a' })
  assert.deepEqual(parseStoreUrl('sqlite:x.db'), { kind: 'sqlite', file: 'x.db' })
  assert.deepEqual(parseStoreUrl(''), { kind: 'sqlite', file: '' })
})

const invalidUrls: Record<string, RegExp> = {
  'redis-sentinel://hunter2@a:1': /the name of the master must follow the hosts\.$/,
  'redis-sentinel://:hunter2@a:1/': /the name of the master/,
  'redis-sentinel://:hunter2@a:1/house/2': /the name of the master/,
  'redis-sentinel://:hunter2@a:1/house?db=two': /db must be a whole number\.$/,
  'redis-sentinel://:hunter2@a:1/house?tls=1': /the parameter "tls" is unknown\.$/,
  'redis-sentinel://:hunter2@a:1,,b/house': /the hosts must be host:port, separated by commas\.$/,
  'redis-cluster://:hunter2@a:99999': /the hosts must be host:port/,
  'redis-cluster://:hunter2@': /the hosts must be host:port/,
  'redis-cluster://:hunter2@a:1/0': /a cluster has only database 0/,
  'redis-cluster://:hunter2%@a:1': /must be written as %25\.$/,
  'redis://': /it has no host\.$/,
  'redis-cluster:hunter2': /^STORE_URL must be sqlite:<file>, .*, or empty for an SQLite file in DATA_DIR\.$/,
}

test('an invalid STORE_URL is rejected with the reason, and the message contains no password', () => {
  for (const [url, message] of Object.entries(invalidUrls)) {
    assert.throws(
      () => readConfig({ STORE_URL: url }),
      (error) => error instanceof OperatorError && message.test(error.message) && !error.message.includes('hunter2'),
      url,
    )
  }
})
