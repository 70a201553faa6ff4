import assert from 'node:assert/strict'
import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { lockFile, withLock } from '../../../src/platform/files/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { describeWithRedis } from '../../kit/redis.ts'
import { writeFiles } from '../../kit/releases.ts'
import { assertSame, FILES, listCopies, openSyncedNode, putNews, startSyncedPair } from '../../kit/sync.ts'
import { until } from '../../kit/until.ts'

const by = 'a test'

describeWithRedis('nodes that begin the content, or join it', (redis) => {
  test('a change that is made before a node begins the content is part of it', async (t) => {
    await redis().command('FLUSHALL')
    const { sync, contentDir, dataDir } = await openSyncedNode(t, redis().url, FILES)
    const isBeginning = async () => {
      using lock = await lockFile(join(dataDir, 'sync/.publishing'))
      return !lock
    }
    let beginning: Promise<void> | undefined
    await withLock(contentDir, false, async () => {
      beginning = sync.begin()
      await until(isBeginning)
      await writeFiles(contentDir, { 'string/late.txt': 'late\n' })
    })
    await beginning
    assert.deepEqual((await sync.checkFolder()).edited, [])
  })

  test('a file that is too large to be synchronised is logged when the content begins, not at each attempt', async (t) => {
    await redis().command('FLUSHALL')
    const files = { ...FILES, 'app/files/large.exe': 'x'.repeat(200_000) }
    const { sync, log, contentDir } = await openSyncedNode(t, redis().url, files, { maxBytes: 500 })
    await writeFiles(contentDir, { 'string/long.txt': 'yes\n'.repeat(200) })
    const listLarge = () => log.filter(({ text }) => text.startsWith('this file is too large')).length
    for (let nth = 0; nth < 2; nth++) await assert.rejects(sync.begin(), /CONTENT_SYNC_BYTES/)
    assert.equal(listLarge(), 0)
    await rm(join(contentDir, 'string/long.txt'))
    await sync.begin()
    assert.equal(listLarge(), 1)
  })

  test('a node that joins gets empty files, too', async (t) => {
    await redis().command('FLUSHALL')
    const one = await openSyncedNode(t, redis().url, { ...FILES, 'blocklist.txt': '', 'app/tiers.yaml': '' })
    await one.sync.begin()
    const two = await openSyncedNode(t, redis().url)
    await two.sync.update()
    await assertSame(one, two)
    assert.equal((await two.tree())['blocklist.txt'], '')
  })

  test('an empty node that joins gets all files and the history, and a file before the release that names it', async (t) => {
    const { one } = await startSyncedPair(t, redis())
    const file = join(await temporaryFolder(t), 'app.exe')
    await writeFile(file, 'program')
    await one.publisher.apply(
      'release publish',
      { application: 'launcher', version: '1.0.0', assets: [{ file }] },
      { by },
    )
    const three = await openSyncedNode(t, redis().url)
    await three.sync.update()
    assert.equal((await three.tree())['app/files/launcher-1.0.0.exe'], 'program')
    await assertSame(one, three)
  })

  test('the first changes of two empty nodes that are made at the same time are on both', async (t) => {
    await redis().command('FLUSHALL')
    const nodes = [await openSyncedNode(t, redis().url), await openSyncedNode(t, redis().url)]
    for (const { sync } of nodes) await sync.update({ isNode: true })
    await Promise.all(nodes.map((node, index) => putNews(node, `n${index}`)))
    for (const { sync } of nodes) await sync.update({ isNode: true })
    await assertSame(nodes[0]!, nodes[1]!)
  })

  test('a change reaches a node whose data folder is a copy of that of the first node', async (t) => {
    await redis().command('FLUSHALL')
    const nodes = [await openSyncedNode(t, redis().url), await openSyncedNode(t, redis().url)] as const
    const [one, two] = nodes
    const update = async () => {
      for (const { sync } of nodes) await sync.update({ isNode: true })
    }
    await one.sync.update({ isNode: true })
    await cp(one.dataDir, two.dataDir, { recursive: true })
    await two.reopen()
    await two.sync.update({ isNode: true })
    // The first node announces itself again.
    await until(async () => {
      await update()
      return (await redis().command('ZCARD {menagerie}:content:nodes')).startsWith(':2')
    })
    await putNews(one, 'n')
    await update()
    await assertSame(one, two)
    // A restart is no other node.
    await one.reopen()
    await update()
    assert.match(await redis().command('ZCARD {menagerie}:content:nodes'), /^:2/)
  })

  test('a node without others is used like one without Redis', async (t) => {
    await redis().command('FLUSHALL')
    const one = await openSyncedNode(t, redis().url, FILES)
    await one.sync.update({ isNode: true })
    await putNews(one, 'second')
    await rm(join(one.contentDir, 'string/8ball.txt'))
    await one.sync.update({ isNode: true })
    assert.deepEqual(await one.sync.checkFolder(), { edited: [], attached: [], missing: [] })
    const two = await openSyncedNode(t, redis().url)
    await until(async () => {
      for (const { sync } of [two, one]) await sync.update({ isNode: true })
      return two.sync.sequence() !== undefined
    })
    assert.deepEqual(Object.keys(await two.tree()), ['app/news/first.md', 'app/news/second.md'])
    await assertSame(one, two)
  })

  test('a second node with other files gets those of the first one, whichever notices the other first', async (t) => {
    await redis().command('FLUSHALL')
    const first = await openSyncedNode(t, redis().url, FILES)
    await first.sync.update({ isNode: true })
    const second = await openSyncedNode(t, redis().url, { 'string/8ball.txt': 'an example\n' })
    for (let turn = 0; turn < 3; turn++) await second.sync.update({ isNode: true })
    for (const { sync } of [first, second]) await sync.update({ isNode: true })
    await until(async () => {
      await second.sync.update({ isNode: true })
      return second.sync.sequence() !== undefined
    })
    assert.deepEqual(await first.tree(), FILES)
    await assertSame(first, second)
    assert.equal(first.sync.incident(), undefined)
    assert.match(second.sync.incident() ?? '', /^files of this node, which differed .* were replaced/)
  })

  test('if the first node has no files, or stops, another one begins the content', async (t) => {
    await redis().command('FLUSHALL')
    const empty = await openSyncedNode(t, redis().url)
    const stopping = await openSyncedNode(t, redis().url, FILES)
    await stopping.sync.update({ isNode: true })
    await empty.sync.update({ isNode: true })
    const third = await openSyncedNode(t, redis().url, { 'string/8ball.txt': 'third\n' })
    await third.sync.update({ isNode: true })
    assert.equal(third.sync.sequence(), undefined)
    // It leaves, and does not announce itself again.
    await stopping.reopen()
    await until(async () => {
      for (const { sync } of [empty, third]) await sync.update({ isNode: true })
      return empty.sync.sequence() !== undefined
    })
    assert.deepEqual(await empty.tree(), { 'string/8ball.txt': 'third\n' })
  })

  test('empty nodes publish, although a node that had files ran alone with this Redis before', async (t) => {
    await redis().command('FLUSHALL')
    const former = await openSyncedNode(t, redis().url, FILES)
    await former.sync.update({ isNode: true })
    await former.reopen()
    const [one, two] = [await openSyncedNode(t, redis().url), await openSyncedNode(t, redis().url)]
    for (const { sync } of [one, two]) await sync.update({ isNode: true })
    await putNews(one, 'first')
    await two.sync.update({ isNode: true })
    await assertSame(one, two)
  })

  test('a node that joins with other files keeps its own ones, and copies of those that it replaces', async (t) => {
    const { one } = await startSyncedPair(t, redis())
    const three = await openSyncedNode(t, redis().url, { 'string/8ball.txt': 'other\n', 'kaomoji/own.txt': ':)\n' })
    await three.sync.update()
    assert.deepEqual(await three.tree(), { ...(await one.tree()), 'kaomoji/own.txt': ':)\n' })
    assert.deepEqual((await three.sync.checkFolder()).edited, ['kaomoji/own.txt'])
    assert.deepEqual(await listCopies(three), ['0-string_8ball.txt'])
  })
})
