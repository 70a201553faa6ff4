import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { test } from 'node:test'
import { describeWithRedis } from '../../kit/redis.ts'
import { assertSame, FILES, listCopies, openSyncedNode, putNews, startSyncedPair } from '../../kit/sync.ts'

const by = 'a test'

describeWithRedis('content that Redis or a node lost', (redis) => {
  test('a node that was gone gets all changes, also if Redis does not keep them any more', async (t) => {
    const { one, two } = await startSyncedPair(t, redis())
    for (const id of ['a', 'b', 'c', 'd']) await putNews(one, id)
    await one.publisher.apply('news remove', { id: 'first' }, { by })
    await two.sync.update()
    await assertSame(one, two)
    await putNews(one, 'e')
    await one.publisher.apply('news remove', { id: 'a' }, { by })
    await redis().command('DEL {menagerie}:content:changes')
    await two.sync.update()
    assert.deepEqual(await two.tree(), await one.tree())
  })

  test('an empty Redis is filled again by the node that has most changes', async (t) => {
    const { one, two } = await startSyncedPair(t, redis())
    await putNews(one, 'second')
    await redis().command('FLUSHALL')
    await two.sync.update()
    assert.equal((await two.tree())['app/news/second.md'], undefined)
    await one.sync.update()
    await two.sync.update()
    await assertSame(one, two)
    const three = await openSyncedNode(t, redis().url)
    await three.sync.update()
    await assertSame(one, three)
  })

  test('files that Redis has lost are supplied again by a node that has them', async (t) => {
    const { one } = await startSyncedPair(t, redis())
    await putNews(one, 'second')
    const keys = (await redis().command('KEYS {menagerie:*')).match(/\{menagerie:\S+/g)!
    for (const key of keys) await redis().command(`DEL ${key}`)
    const three = await openSyncedNode(t, redis().url)
    for (let tries = 0; tries < 3; tries++) await assert.rejects(three.sync.update(), /is missing in Redis/)
    // Each try would leave a copy of the history otherwise, until the disk is full.
    assert.deepEqual(await readdir(three.dataDir), ['sync'])
    await one.sync.update({ isNode: true })
    await three.sync.update()
    await assertSame(one, three)
  })

  test('a change that Redis lost is reported and kept as a copy when one or more others have replaced it', async (t) => {
    for (const later of [0, 1]) {
      const { one, two } = await startSyncedPair(t, redis())
      await putNews(one, 'first', 'Lost')
      await putNews(one, 'added')
      await redis().command('FLUSHALL')
      for (let n = 0; n < 2 + later; n++) await putNews(two, 'first', `Kept ${n}`)
      await one.sync.update()
      await two.sync.update()
      // The service reports it, also if a command or its publishing thread has noticed it.
      await one.reopen()
      assert.match(one.sync.incident() ?? '', /Redis lost changes that this node had/)
      const { 'app/news/added.md': added, ...rest } = await one.tree()
      assert.deepEqual(rest, await two.tree())
      assert.ok(added)
      assert.deepEqual((await one.sync.checkFolder()).edited, ['app/news/added.md'])
      assert.deepEqual(await listCopies(one), [`${2 + later}-app_news_first.md`])
    }
  })

  test('the lost folder of a node deletes nothing elsewhere, and is restored', async (t) => {
    const { one, two } = await startSyncedPair(t, redis())
    await rm(one.contentDir, { recursive: true })
    const { missing } = await one.sync.checkFolder()
    assert.equal(missing.length, 2)
    await assertSame(one, two)
    assert.deepEqual(await one.tree(), FILES)
  })
})
