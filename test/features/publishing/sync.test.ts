import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../kit/folder.ts'
import { tinyPng } from '../../kit/pictures.ts'
import { describeWithRedis } from '../../kit/redis.ts'
import { news, writeFiles } from '../../kit/releases.ts'
import { assertSame, createText, FILES, openSyncedNode, putNews, startSyncedPair } from '../../kit/sync.ts'

const by = 'a test'

describeWithRedis('changes of nodes that use one Redis', (redis) => {
  test('a change of either node reaches the other one, and is undone on any of them', async (t) => {
    const { one, two } = await startSyncedPair(t, redis())
    const { history } = await putNews(one, 'second')
    await two.sync.update()
    await assertSame(one, two)
    await two.publisher.undo(history!, { by })
    await one.sync.update()
    await assertSame(one, two)
    assert.deepEqual(await one.tree(), FILES)
  })

  test('removed pictures are restored by an undo on another node', async (t) => {
    const { one, two } = await startSyncedPair(t, redis())
    const picture = join(await temporaryFolder(t), 'fox.png')
    await writeFile(picture, tinyPng(3))
    await one.publisher.apply('content add', { kind: 'fox', author: 'Ann', sources: [picture] }, { by })
    await two.sync.update()
    const before = await two.tree()
    const [name = ''] = Object.keys(before).filter((file) => file.endsWith('.png'))
    const removed = await one.publisher.apply(
      'content remove',
      { kind: 'fox', files: [name.split('/').at(-1)!] },
      { by },
    )
    await two.sync.update()
    assert.ok(!((await two.tree())[name] ?? ''))
    await two.publisher.undo(removed.history!, { by })
    assert.deepEqual(await two.tree(), before)
  })

  test('two publishers at once: both changes are made, one after the other', async (t) => {
    const { one, two } = await startSyncedPair(t, redis())
    const ids = ['a', 'b', 'c', 'd']
    await Promise.all(ids.map((id, index) => putNews(index % 2 ? one : two, id)))
    await Promise.all([one, two].map(({ sync }) => sync.update()))
    await assertSame(one, two)
    assert.equal(Object.keys(await one.tree()).length, 2 + ids.length)
  })

  test('the version that a change requires is that of all nodes', async (t) => {
    const { one, two } = await startSyncedPair(t, redis())
    const { fileVersion } = await one.publisher.readNews('first')
    await putNews(two, 'first', 'Changed')
    const change = one.publisher.apply(
      'news put',
      { id: 'first', title: 'x', markdown: 'x' },
      { by, ifVersion: [fileVersion!] },
    )
    await assert.rejects(change, { code: 'PRECONDITION_FAILED' })
    await assertSame(one, two)
  })

  test('nodes that share a folder publish one at a time and have the same history', async (t) => {
    await redis().command('FLUSHALL')
    const contentDir = await temporaryFolder(t)
    const one = await openSyncedNode(t, redis().url, FILES, { isShared: true, contentDir })
    const two = await openSyncedNode(t, redis().url, {}, { isShared: true, contentDir })
    await Promise.all([
      putNews(one, 'a'),
      putNews(two, 'b'),
      one.publisher.apply('list put', { category: 'string', kind: 'big', text: createText(1100) }, { by }),
    ])
    await Promise.all([one, two].map(({ sync }) => sync.update()))
    await assertSame(one, two)
    assert.equal((await one.publisher.history.list(10)).length, 3)
  })

  test('nodes that should use one folder (CONTENT_SYNC=shared), but do not, report it after a change', async (t) => {
    await redis().command('FLUSHALL')
    const contentDir = join(await temporaryFolder(t), 'content')
    const open = (dir?: string) =>
      openSyncedNode(t, redis().url, FILES, { isShared: true, ...(dir && { contentDir: dir }) })
    const [one, two, other] = [await open(contentDir), await open(contentDir), await open()]
    await putNews(one, 'a')
    for (const { sync } of [two, other]) await sync.update()
    await putNews(one, 'b')
    for (const { sync } of [two, other]) await sync.update()
    await two.sync.checkFolder()
    await assert.rejects(other.sync.checkFolder(), /not in CONTENT_DIR of this node.* all nodes must use one folder/)
    // An editor may change it later.
    await writeFiles(contentDir, { 'app/news/b.md': news('Edited') })
    await two.sync.checkFolder()
    // Also before the next check of the folder.
    await putNews(one, 'c')
    await two.sync.update()
    await writeFiles(contentDir, { 'app/news/c.md': news('Edited') })
    await two.sync.checkFolder()
  })
})
