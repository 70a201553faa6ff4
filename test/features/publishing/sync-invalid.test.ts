import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../kit/folder.ts'
import { tinyPng } from '../../kit/pictures.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../../kit/redis.ts'
import { writeFiles } from '../../kit/releases.ts'
import type { Scope } from '../../kit/scope.ts'
import { assertSame, createText, FILES, listCopies, openSyncedNode, putNews, startSyncedPair } from '../../kit/sync.ts'
import { until } from '../../kit/until.ts'

const by = 'a test'

describeWithRedis('content in Redis that is invalid or too large', (redis) => {
  const startPair = (scope: Scope, server: TestRedis = redis()) => startSyncedPair(scope, server)

  test('a name in Redis that leads out of the content folder is refused', async (t) => {
    await startPair(t)
    await redis().command('HSET {menagerie}:content:files ../data/evil "x 1"')
    await redis().command('HINCRBY {menagerie}:content files 1')
    const three = await openSyncedNode(t, redis().url)
    await assert.rejects(three.sync.update(), /a file with an invalid name: "\.\.\/data\/evil"/)
    assert.deepEqual(await three.tree(), {})
  })

  test('a name in Redis that is file and folder at once is refused, and the node takes later changes', async (t) => {
    const { one, two } = await startPair(t)
    const version = createHash('sha256').update(FILES['string/8ball.txt']).digest('base64url')
    for (const file of ['app/files/x', 'app/files/x/y'])
      await redis().command(`HSET {menagerie}:content:files ${file} "${version} 7"`)
    await redis().command('HINCRBY {menagerie}:content files 2')
    await redis().command('HSET {menagerie}:content sequence 500')
    await assert.rejects(two.sync.update(), /Redis holds a file in app\/files as a file and as a folder/)
    assert.deepEqual(await two.tree(), FILES)
    await redis().command('HDEL {menagerie}:content:files app/files/x app/files/x/y')
    await redis().command('HINCRBY {menagerie}:content files -2')
    await redis().command('HSET {menagerie}:content sequence 0')
    await putNews(one, 'second')
    await two.sync.update()
    await assertSame(one, two)
  })

  test('a file that is a folder on another node, or the other way round, is reported until it is removed', async (t) => {
    const { one, two } = await startPair(t)
    for (const [own, message] of [
      ['app/news/second.md/x', /a file in app\/news is a folder in CONTENT_DIR, but not on the other/],
      ['animals', /animals is a folder on the other nodes, but a file in CONTENT_DIR/],
    ] as const) {
      await writeFiles(two.contentDir, { [own]: 'own' })
      if (own === 'animals') {
        const picture = join(await temporaryFolder(t), 'fox.png')
        await writeFile(picture, tinyPng(3))
        await one.publisher.apply('content add', { kind: 'fox', author: 'Ann', sources: [picture] }, { by })
      } else await putNews(one, 'second')
      await assert.rejects(two.sync.update(), message)
      await rm(join(two.contentDir, own.replace('/x', '')), { recursive: true })
      await two.sync.update()
      await assertSame(one, two)
    }
  })

  test('files with long names and the same bytes are installed, and copies of all edits are kept', async (t) => {
    await redis().command('FLUSHALL')
    const long = Object.fromEntries(['a', 'b'].map((letter) => [`app/files/${letter.repeat(250)}`, 'program']))
    const one = await openSyncedNode(t, redis().url, { ...FILES, ...long })
    const two = await openSyncedNode(t, redis().url)
    await until(async () => {
      for (const { sync } of [one, two]) await sync.update({ isNode: true })
      return two.sync.sequence() !== undefined
    })
    await assertSame(one, two)
    const [file = ''] = Object.keys(long)
    for (const edit of ['first', 'second']) {
      await writeFiles(two.contentDir, { [file]: edit })
      await two.sync.discard([file])
    }
    assert.equal((await listCopies(two)).length, 2)
  })

  test('a version in Redis that leads out of the folder is refused', async (t) => {
    const { two } = await startPair(t)
    await writeFile(join(two.dataDir, 'secret'), 'secret')
    await redis().command('HSET {menagerie}:content:files app/files/x.exe "../../secret 6"')
    await redis().command('HINCRBY {menagerie}:content files 1')
    await redis().command('HSET {menagerie}:content sequence 500')
    await assert.rejects(two.sync.update(), /an invalid version of a file in app\/files/)
    assert.deepEqual(await two.tree(), FILES)
  })

  for (const text of ['null', '5', '{"files":5,"attached":[]}', '{"files":[null],"attached":[]}']) {
    test(`a change in Redis that no node has written is ignored: ${text}`, async (t) => {
      const { one, two } = await startPair(t)
      await putNews(one, 'second')
      await redis().command(`HSET {menagerie}:content:changes 1 ${JSON.stringify(text)}`)
      await two.sync.update()
      assert.deepEqual(await two.tree(), await one.tree())
      await putNews(two, 'third')
      assert.deepEqual(
        (await two.publisher.history.list(10)).map(({ id }) => id),
        [2],
      )
    })
  }

  test('a damaged file in Redis is supplied again by a node that has it', async (t) => {
    const { one, two } = await startPair(t)
    const keys = async () => (await redis().command('KEYS {menagerie:*')).match(/\{menagerie:\S+/g)!
    const before = await keys()
    await putNews(one, 'second')
    for (const key of await keys()) if (!before.includes(key)) await redis().command(`SETRANGE ${key} 5 damage`)
    await assert.rejects(two.sync.update(), /is missing in Redis/)
    await one.sync.update({ isNode: true })
    await two.sync.update()
    await assertSame(one, two)
  })

  for (const field of ['sequence x', 'sequence 1e300', 'sequence 9000000000000001', 'head', 'bytes x']) {
    test(`a position in Redis that no node has written is replaced: ${field}`, async (t) => {
      const { one, two } = await startPair(t)
      await redis().command(`${field.includes(' ') ? 'HSET' : 'HDEL'} {menagerie}:content ${field}`)
      await putNews(one, 'second')
      await two.sync.update()
      await assertSame(one, two)
    })
  }

  test('many changes with many bytes do not fill Redis, and no published file is removed', async (t) => {
    const { one, two } = await startPair(t)
    const text = createText(500)
    for (let change = 0; change < 20; change++)
      await one.publisher.apply('list put', { category: 'string', kind: 'big', text: `${change}\n${text}` }, { by })
    const [, count = ''] = /^\*(\d+)/.exec(await redis().command('KEYS {menagerie:*')) ?? []
    // Those of a quarter of the bytes that all files may have, and the two other published ones.
    assert.ok(Number(count) <= 5 + 2, count)
    await two.sync.update()
    const three = await openSyncedNode(t, redis().url)
    await three.sync.update()
    await assertSame(one, two, three)
  })

  test('files and content above the bounds are refused, and the error says what to do', async (t) => {
    const { one, two } = await startPair(t)
    const put = (kind: string, rows: string) =>
      one.publisher.apply('list put', { category: 'string', kind, text: rows }, { by })
    await assert.rejects(
      put('big', createText(1100)),
      /files of at most 100000 bytes are synchronised.*by URL.*CONTENT_SYNC=shared/,
    )
    const large = await openSyncedNode(t, redis().url, {}, { maxBytes: 60_000 })
    await large.sync.update()
    const change = large.publisher.apply('list put', { category: 'string', kind: 'b', text: createText(900) }, { by })
    await assert.rejects(change, /The content has \d+ bytes, but at most 60000 .* Nothing was changed/)
    await two.sync.update()
    await assertSame(one, two, large)
    await redis().command('FLUSHALL')
    const first = await openSyncedNode(t, redis().url)
    await first.sync.update({ isNode: true })
    const second = await openSyncedNode(t, redis().url, FILES, { maxBytes: 20 })
    await assert.rejects(second.sync.update({ isNode: true }), /The content has \d+ bytes/)
  })

  test('a Redis that is full or gone refuses the change, and nothing is changed', async (t) => {
    const server = await startRedis(t)
    const { one } = await startPair(t, server)
    const before = await one.tree()
    await server.command('CONFIG SET maxmemory 1')
    await assert.rejects(putNews(one, 'second'), { code: 'STORE_UNAVAILABLE' })
    await server.kill()
    await assert.rejects(putNews(one, 'second'), { code: 'STORE_UNAVAILABLE' })
    assert.deepEqual(await one.tree(), before)
    assert.deepEqual(await one.publisher.history.list(10), [])
    await server.start()
    await until(() => putNews(one, 'second').then(Boolean, () => false))
  })
})
