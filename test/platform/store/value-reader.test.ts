import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openValueReader } from '../../../src/platform/store/redis/value-reader.ts'
import { freePort, needsRedis, startRedis } from '../../kit/redis.ts'
import { until } from '../../kit/until.ts'

const MOST = 4 * 1024 * 1024

/** A reader that is let in; `ended` tells how often it said that it is over. */
async function open(t: TestContext, port: number, greeting: string[][] = []) {
  const ended: true[] = []
  const reader = openValueReader({ host: '127.0.0.1', port, greeting, onEnd: () => void ended.push(true) })
  t.after(() => reader.destroy())
  await until(() => reader.isReady || ended.length > 0)
  return { reader, ended }
}

/** A server that says what it is told to, whatever it is asked. */
async function startScripted(t: TestContext, speak: (socket: Socket) => Promise<void> | void) {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {})
    socket.once('data', () => void speak(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close())
  return (server.address() as AddressInfo).port
}

const outcome = (asked: Promise<Buffer | null>) =>
  asked.then(
    (value) => value && String(value),
    (error: Error) => error.message,
  )

for (const size of [1, 2, 3, 5, 8, 13, 1000]) {
  test(`answers in pieces of ${size} bytes are put together, each for who asked`, async (t) => {
    const said = '$5\r\nhello\r\n$-1\r\n-WRONGTYPE no\r\n$0\r\n\r\n$6\r\na\r\nb\r\n\r\n$3\r\nend\r\n'
    const port = await startScripted(t, async (socket) => {
      for (let at = 0; at < said.length; at += size) {
        socket.write(said.slice(at, at + size))
        await sleep(1)
      }
    })
    const { reader } = await open(t, port)
    const answers = await Promise.all(Array.from({ length: 6 }, () => outcome(reader.read('a', 100))))
    assert.deepEqual(answers, ['hello', null, 'WRONGTYPE no', '', 'a\r\nb\r\n', 'end'])
  })
}

for (const [what, said] of [
  ['a number', ':1\r\n'],
  ['an array', '*1\r\n$1\r\na\r\n'],
  ['a value larger than was asked for', `$101\r\n${'x'.repeat(101)}\r\n`],
  ['a length that is none', '$1e3\r\n'],
  ['a value without its end', '$5\r\nhelloXX$5\r\nhello\r\n'],
  ['a line without end', 'x'.repeat(5000)],
  ['an end half way', undefined],
] as const) {
  test(`${what} ends the connection, and all that waited on it`, async (t) => {
    const port = await startScripted(t, (socket) => void (said ? socket.write(said) : socket.end('$5\r\nhel')))
    const { reader, ended } = await open(t, port)
    const answers = await Promise.all([outcome(reader.read('a', 100)), outcome(reader.read('b', 100))])
    assert.deepEqual(answers, ['the connection ended', 'the connection ended'])
    assert.deepEqual([reader.isReady, ended.length], [false, 1])
  })
}

test('values of every size arrive byte for byte, many at once', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const { reader } = await open(t, redis.port)
  const sizes = [0, 1, 16_370, 16_384, 65_536, 300_000, 3_000_000]
  for (const size of sizes)
    await redis.command(`EVAL "redis.call('SET', KEYS[1], string.rep(ARGV[1], ${size}))" 1 v${size} ${size % 10}`)
  await redis.command('LPUSH list x')
  for (let round = 0; round < 3; round++) {
    const values = await Promise.all(sizes.map((size) => reader.read(`v${size}`, MOST)))
    values.forEach((value, index) => {
      const size = sizes[index] ?? 0
      assert.ok(value?.equals(Buffer.alloc(size, String(size % 10))), `${size}`)
    })
    assert.match(String(await outcome(reader.read('list', MOST))), /^WRONGTYPE/)
    assert.equal((await reader.read('v300000', 10))?.length, 10, 'no more than was asked for')
    assert.equal((await reader.read('ключ', 10))?.length, 0, 'a key beyond ASCII')
  }
})

test('it says who it is and which database it means, and is not let in otherwise', needsRedis, async (t) => {
  const password = randomBytes(8).toString('hex')
  const redis = await startRedis(t, '--requirepass', password)
  const { reader } = await open(t, redis.port, [
    ['AUTH', 'default', password],
    ['SELECT', '3'],
  ])
  assert.equal((await reader.read('a', 10))?.length, 0)
  for (const greeting of [
    [],
    [['AUTH', 'wrong']],
    [
      ['AUTH', password],
      ['SELECT', '99'],
    ],
  ]) {
    const { reader: stranger, ended } = await open(t, redis.port, greeting)
    if (greeting.length > 0) assert.deepEqual([stranger.isReady, ended.length], [false, 1])
    else assert.match(String(await outcome(stranger.read('a', 10))), /^NOAUTH/)
  }
})

test('where nobody listens it ends, and says so once', async (t) => {
  const { reader, ended } = await open(t, await freePort())
  assert.equal(await outcome(reader.read('a', 10)), 'the connection ended')
  assert.deepEqual([reader.isReady, ended.length], [false, 1])
})
