import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from '../../../src/config/config.ts'
import { readStoreUrl } from '../../../src/config/store-url.ts'

const login = { username: 'ann', password: 'p@ss:word' }

test('sentinels and clusters are named by hosts, with or without ports, login and TLS', () => {
  assert.deepEqual(readStoreUrl('redis-sentinel://a:1,b.example,[::1]:3/house?db=2'), {
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
  assert.deepEqual(readStoreUrl('rediss-sentinel://ann:p%40ss:word@a:1/house'), {
    kind: 'sentinel',
    sentinels: [{ host: 'a', port: 1 }],
    master: 'house',
    database: 0,
    tls: true,
    ...login,
  })
  assert.deepEqual(readStoreUrl('rediss-cluster://:secret@a,b:7000'), {
    kind: 'cluster',
    nodes: [
      { host: 'a', port: 6379 },
      { host: 'b', port: 7000 },
    ],
    password: 'secret',
    tls: true,
  })
  assert.deepEqual(readStoreUrl('redis://a'), { kind: 'single', url: 'redis://a' })
  assert.deepEqual(readStoreUrl('sqlite:x.db'), { kind: 'sqlite', file: 'x.db' })
  assert.deepEqual(readStoreUrl(''), { kind: 'sqlite', file: '' })
})

const wrong: Record<string, RegExp> = {
  'redis-sentinel://hunter2@a:1': /the name of the master, .*, must follow the hosts\.$/,
  'redis-sentinel://:hunter2@a:1/': /the name of the master/,
  'redis-sentinel://:hunter2@a:1/house/2': /the name of the master/,
  'redis-sentinel://:hunter2@a:1/house?db=two': /db must be a whole number\.$/,
  'redis-sentinel://:hunter2@a:1/house?tls=1': /"tls" after the \? means nothing here\.$/,
  'redis-sentinel://:hunter2@a:1,,b/house': /its hosts must be host:port, separated by commas\.$/,
  'redis-cluster://:hunter2@a:99999': /its hosts must be host:port/,
  'redis-cluster://:hunter2@': /its hosts must be host:port/,
  'redis-cluster://:hunter2@a:1/0': /a cluster has only database 0/,
  'redis-cluster://:hunter2%@a:1': /must be written as %25\.$/,
  'redis://': /it names no host\.$/,
  'redis-cluster:hunter2': /^STORE_URL must be sqlite:<file>, .*, or empty for a file in DATA_DIR\.$/,
}

test('a wrong STORE_URL stops the start with a sentence that says what is wrong and tells no secret', () => {
  for (const [url, sentence] of Object.entries(wrong)) {
    assert.throws(
      () => readConfig({ STORE_URL: url }),
      (error) => error instanceof ConfigError && sentence.test(error.message) && !error.message.includes('hunter2'),
      url,
    )
  }
})
