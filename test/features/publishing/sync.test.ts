import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { PublishError } from '../../../src/errors/index.ts'
import { openContentSync, publishEdits } from '../../../src/features/publishing/index.ts'
import { lockFile, withLock } from '../../../src/platform/files/index.ts'
import type { Log } from '../../../src/platform/logging/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { tinyPng } from '../../kit/pictures.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import { news, record, releasesYaml, writeFiles } from '../../kit/releases.ts'
import { forSuite, type Scope } from '../../kit/scope.ts'
import { assertSame, createText, FILES, listCopies, openSyncedNode, putNews, startSyncedPair } from '../../kit/sync.ts'
import { until } from '../../kit/until.ts'

const by = 'a test'
/** Linux states a size of 4096 bytes. */
const SHORT_FILE = '/sys/devices/system/cpu/online'

if (needsRedis.skip) test('content is synchronised through Redis', needsRedis, () => {})
else
  describe('content is synchronised through Redis', () => {
    const redis = forSuite(startRedis)

    const startPair = (scope: Scope) => startSyncedPair(scope, redis())

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

    test('an edited file that ends before its size, as if it were truncated now, is published and does not block the node', {
      skip: existsSync(SHORT_FILE) ? false : 'needs a file with fewer bytes than its size',
      timeout: 20_000,
    }, async (t) => {
      const { one, two } = await startPair(t)
      const file = join(one.contentDir, 'string/8ball.txt')
      await rm(file)
      await symlink(SHORT_FILE, file)
      assert.deepEqual(await publishEdits({ ...one, sync: one.sync, by }), ['string/8ball.txt'])
      await two.sync.update()
      await assertSame(one, two)
      assert.equal((await two.tree())['string/8ball.txt'], await readFile(SHORT_FILE, 'utf8'))
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

    test('a pipe in the place of a published file is reported, and does not block the node', {
      timeout: 20_000,
    }, async (t) => {
      const { one } = await startPair(t)
      const file = join(one.contentDir, 'string/8ball.txt')
      await rm(file)
      execFileSync('mkfifo', [file])
      await assert.rejects(one.sync.checkFolder(), /string\/8ball\.txt is not a regular file\. Remove it/)
      await one.publisher.apply('list put', { category: 'string', kind: 'other', text: 'yes\n' }, { by })
    })

    test('an empty node that joins gets all files and the history, and a file before the release that names it', async (t) => {
      const { one } = await startPair(t)
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

    test('a change of either node reaches the other one, and is undone on any of them', async (t) => {
      const { one, two } = await startPair(t)
      const { history } = await putNews(one, 'second')
      await two.sync.update()
      await assertSame(one, two)
      await two.publisher.undo(history!, { by })
      await one.sync.update()
      await assertSame(one, two)
      assert.deepEqual(await one.tree(), FILES)
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

    test('removed pictures are restored by an undo on another node', async (t) => {
      const { one, two } = await startPair(t)
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

    test('a node that was gone gets all changes, also if Redis does not keep them any more', async (t) => {
      const { one, two } = await startPair(t)
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

    test('Redis that lost its data is reported', async (t) => {
      const { one } = await startPair(t)
      const { contentDir, dataDir } = one
      const options = { storeUrl: redis().url, contentDir, dataDir, isShared: false, maxFileBytes: 1e5, maxBytes: 1e6 }
      const sync = await openContentSync(options, createTestLog())
      t.after(sync.close)
      await until(() => sync.status().sequence !== undefined)
      assert.deepEqual(sync.problems(), [])
      await redis().command('FLUSHALL')
      await until(() => sync.problems().some((problem) => problem.startsWith('Redis lost data')))
    })

    test('a thread that cannot start is tried again, and logged and reported once', async (t) => {
      const [contentDir, dataDir] = [await temporaryFolder(t), await temporaryFolder(t)]
      await writeFile(join(dataDir, 'sync'), 'in the place of the folder')
      const log = createTestLog()
      let starts = 0
      const countStart = () => starts++
      process.on('worker', countStart)
      t.after(() => void process.off('worker', countStart))
      const options = { storeUrl: redis().url, contentDir, dataDir, isShared: false, maxFileBytes: 1e5, maxBytes: 1e6 }
      const sync = await openContentSync(options, log)
      t.after(sync.close)
      await until(() => starts >= 3)
      assert.deepEqual(sync.problems(), ['the thread that updates the content stopped'])
      assert.deepEqual(
        log.lines.map(({ message }) => message),
        sync.problems(),
      )
      await rm(join(dataDir, 'sync'))
      await until(() => sync.problems().length === 0)
    })

    test('a running node gets later changes although its data folder was removed, or its position damaged', async (t) => {
      const { one } = await startPair(t)
      const [contentDir, dataDir] = [await temporaryFolder(t), await temporaryFolder(t)]
      const options = { storeUrl: redis().url, contentDir, dataDir, isShared: false, maxFileBytes: 1e5, maxBytes: 1e6 }
      const sync = await openContentSync(options, createTestLog())
      t.after(sync.close)
      const untilInstalled = async (id: string) => {
        await putNews(one, id)
        await until(() => existsSync(join(contentDir, `app/news/${id}.md`)) && sync.problems().length === 0)
      }
      await untilInstalled('before')
      await rm(dataDir, { recursive: true })
      await untilInstalled('after-removal')
      await writeFile(join(dataDir, 'sync/state.sqlite'), 'x'.repeat(20_000))
      await untilInstalled('after-damage')
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

    test('two publishers at once: both changes are made, one after the other', async (t) => {
      const { one, two } = await startPair(t)
      const ids = ['a', 'b', 'c', 'd']
      await Promise.all(ids.map((id, index) => putNews(index % 2 ? one : two, id)))
      await Promise.all([one, two].map(({ sync }) => sync.update()))
      await assertSame(one, two)
      assert.equal(Object.keys(await one.tree()).length, 2 + ids.length)
    })

    test('the version that a change requires is that of all nodes', async (t) => {
      const { one, two } = await startPair(t)
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

    test('an empty Redis is filled again by the node that has most changes', async (t) => {
      const { one, two } = await startPair(t)
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
      const { one } = await startPair(t)
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
        const { one, two } = await startPair(t)
        await putNews(one, 'first', 'Lost')
        await putNews(one, 'added')
        await redis().command('FLUSHALL')
        for (let n = 0; n < 2 + later; n++) await putNews(two, 'first', `Kept ${n}`)
        await one.sync.update()
        await two.sync.update()
        // The service reports it, also if a command or its publishing thread has noticed it.
        await one.reopen()
        assert.match(one.sync.incident() ?? '', /^Redis lost changes that this node had/)
        const { 'app/news/added.md': added, ...rest } = await one.tree()
        assert.deepEqual(rest, await two.tree())
        assert.ok(added)
        assert.deepEqual((await one.sync.checkFolder()).edited, ['app/news/added.md'])
        assert.deepEqual(await listCopies(one), [`${2 + later}-app_news_first.md`])
      }
    })

    test('the lost folder of a node deletes nothing elsewhere, and is restored', async (t) => {
      const { one, two } = await startPair(t)
      await rm(one.contentDir, { recursive: true })
      const { missing } = await one.sync.checkFolder()
      assert.equal(missing.length, 2)
      await assertSame(one, two)
      assert.deepEqual(await one.tree(), FILES)
    })

    test('an edit in the folder is not synchronised, and is kept as a copy when another node changes the file', async (t) => {
      const { one, two } = await startPair(t)
      await writeFiles(one.contentDir, { 'string/8ball.txt': 'perhaps\n', 'notes.md': 'Not published.' })
      assert.deepEqual((await one.sync.checkFolder()).edited, ['string/8ball.txt'])
      const change = one.publisher.apply('list put', { category: 'string', kind: '8ball', text: 'x\n' }, { by })
      await assert.rejects(change, /string\/8ball\.txt was edited in the folder of this node/)
      await two.publisher.apply('list put', { category: 'string', kind: '8ball', text: 'never\n' }, { by })
      await one.sync.update()
      assert.equal((await one.tree())['string/8ball.txt'], 'never\n')
      assert.deepEqual(await listCopies(one), ['1-string_8ball.txt'])
      assert.ok(one.log.some(({ text }) => text.includes('is replaced by the published one')))
    })

    test('the public log and problems do not name files that may be scheduled, nor folders of the machine', async (t) => {
      const { one, two } = await startPair(t)
      const secret = 'app/news/secret-plan.md'
      await putNews(one, 'secret-plan')
      await two.sync.update()
      const written: string[] = []
      const write = (fields: object, text: string) => void written.push(JSON.stringify([text, fields]))
      const log = { info: write, warn: write, error: write } as Log
      const { contentDir, dataDir } = two
      const options = {
        storeUrl: redis().url,
        contentDir,
        dataDir,
        isShared: false,
        maxFileBytes: 9999,
        maxBytes: 99999,
      }
      const running = await openContentSync(options, log)
      t.after(() => running.close())

      await rm(join(contentDir, secret))
      await until(() => written.some((line) => line.includes('restored files that were missing')))
      await writeFiles(contentDir, { [secret]: news('Edited') })
      await until(() => running.problems().some((problem) => problem.startsWith('a file in app/news was edited')))
      await putNews(one, 'secret-plan', 'Newer')
      await until(() => running.problems().some((problem) => problem.startsWith('files of this node, which differed')))
      assert.ok(written.some((line) => line.includes('is replaced by the published one')))
      await rm(join(contentDir, 'string'), { recursive: true })
      await symlink('string', join(contentDir, 'string'))
      await until(() => running.problems().some((problem) => problem.includes('a file of the content cannot be used')))

      assert.doesNotMatch([...written, ...running.problems()].join('\n'), /secret-plan/)
      assert.ok(!running.problems().join('\n').includes(contentDir))

      await rm(join(contentDir, 'string'))
      const newProblems = () => running.problems().filter((problem) => !problem.startsWith('files of this node'))
      await until(() => newProblems().length === 0)
      // Published files cannot be fetched into a folder of this name.
      await writeFiles(dataDir, { 'sync/incoming': '' })
      await putNews(one, 'secret-plan', 'Newest')
      await until(() => newProblems().length > 0)
      assert.deepEqual(newProblems(), ['a file of the content cannot be used: file already exists'])
    })

    test('edits in the folder are published as changes, discarded, or left as they are if they are invalid', async (t) => {
      const { one, two } = await startPair(t)
      const sha256 = createHash('sha256').update('program').digest('hex')
      const files = { 'app/files/own.exe': 'program', 'app/files/own/1': 'one', 'app/files/own_1': 'other' }
      const own = { 'app/news/own.md': news('Own'), 'kaomoji/own.txt': ':)\n', ...files }
      const yaml = releasesYaml({ launcher: [record('3.0.0', { file: 'own.exe', bytes: 7, sha256 })] })
      const edits = { ...own, 'app/releases.yaml': yaml, 'string/8ball.txt': 'x\n' }
      await writeFiles(one.contentDir, edits)
      await publishEdits({ ...one, sync: one.sync, by })
      await two.sync.update()
      await assertSame(one, two)
      assert.deepEqual(await two.tree(), { ...FILES, ...edits })
      assert.deepEqual((await one.sync.checkFolder()).edited, [])

      await writeFiles(one.contentDir, { 'app/releases.yaml': 'launcher: 1\n', 'kaomoji/more.txt': ':(\n' })
      const edited = await one.tree()
      await assert.rejects(publishEdits({ ...one, sync: one.sync, by }), PublishError)
      await assert.rejects(stat(join(one.contentDir, 'app/.incoming/edits')), /ENOENT/)
      assert.deepEqual((await one.tree())['app/releases.yaml'], edited['app/releases.yaml'])
      await one.sync.discard(['app/releases.yaml', 'kaomoji/more.txt'])
      assert.equal(one.sync.incident(), undefined)
      await two.sync.update()
      assert.equal((await one.tree())['app/releases.yaml'], yaml)

      // A folder in the place of a file of the service: the change fails after the file of the release is there.
      await rm(join(one.contentDir, 'app/.accepted.json'), { force: true })
      await mkdir(join(one.contentDir, 'app/.accepted.json/x'), { recursive: true })
      await writeFiles(one.contentDir, {
        'app/files/late': 'late',
        'app/releases.yaml': '',
        'kaomoji/late.txt': 'o.o\n',
      })
      const late = await one.tree()
      await assert.rejects(publishEdits({ ...one, sync: one.sync, by }), /It is published, but/)
      assert.equal((await one.tree())['kaomoji/late.txt'], late['kaomoji/late.txt'])
    })

    test('a node that joins with other files keeps its own ones, and copies of those that it replaces', async (t) => {
      const { one } = await startPair(t)
      const three = await openSyncedNode(t, redis().url, { 'string/8ball.txt': 'other\n', 'kaomoji/own.txt': ':)\n' })
      await three.sync.update()
      assert.deepEqual(await three.tree(), { ...(await one.tree()), 'kaomoji/own.txt': ':)\n' })
      assert.deepEqual((await three.sync.checkFolder()).edited, ['kaomoji/own.txt'])
      assert.deepEqual(await listCopies(three), ['0-string_8ball.txt'])
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
