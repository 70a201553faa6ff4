import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { PublishError } from '../../../src/errors/index.ts'
import { publishEdits } from '../../../src/features/publishing/index.ts'
import { describeWithRedis } from '../../kit/redis.ts'
import { news, record, releasesYaml, writeFiles } from '../../kit/releases.ts'
import { assertSame, FILES, listCopies, putNews, startSyncedPair } from '../../kit/sync.ts'

const by = 'a test'
/** Linux states a size of 4096 bytes. */
const SHORT_FILE = '/sys/devices/system/cpu/online'

describeWithRedis('the folder of a node is edited', (redis) => {
  test('an edited file that ends before its size, as if it were truncated now, is published and does not block the node', {
    skip: existsSync(SHORT_FILE) ? false : 'needs a file with fewer bytes than its size',
    timeout: 20_000,
  }, async (t) => {
    const { one, two } = await startSyncedPair(t, redis())
    const file = join(one.contentDir, 'string/8ball.txt')
    await rm(file)
    await symlink(SHORT_FILE, file)
    assert.deepEqual(await publishEdits({ ...one, sync: one.sync, by }), ['string/8ball.txt'])
    await two.sync.update()
    await assertSame(one, two)
    assert.equal((await two.tree())['string/8ball.txt'], await readFile(SHORT_FILE, 'utf8'))
  })

  test('a pipe in the place of a published file is reported, and does not block the node', {
    timeout: 20_000,
  }, async (t) => {
    const { one } = await startSyncedPair(t, redis())
    const file = join(one.contentDir, 'string/8ball.txt')
    await rm(file)
    execFileSync('mkfifo', [file])
    await assert.rejects(one.sync.checkFolder(), /string\/8ball\.txt is not a regular file\. Remove it/)
    await one.publisher.apply('list put', { category: 'string', kind: 'other', text: 'yes\n' }, { by })
  })

  test('an edit in the folder is not synchronised, and is kept as a copy when another node changes the file', async (t) => {
    const { one, two } = await startSyncedPair(t, redis())
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

  test('edits in the folder are published as changes, discarded, or left as they are if they are invalid', async (t) => {
    const { one, two } = await startSyncedPair(t, redis())
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

  test('edits are published although another node publishes at the same time', async (t) => {
    const { one, two } = await startSyncedPair(t, redis())
    await writeFiles(one.contentDir, { 'kaomoji/own.txt': ':)\n' })
    const discard: typeof one.sync.discard = async (...options) => {
      await putNews(two, 'other')
      await one.sync.discard(...options)
    }
    assert.deepEqual(await publishEdits({ ...one, sync: { ...one.sync, discard }, by }), ['kaomoji/own.txt'])
    await two.sync.update()
    assert.equal((await two.tree())['kaomoji/own.txt'], ':)\n')
    await assertSame(one, two)
  })

  test('an edit never replaces what another node publishes meanwhile, also if the process is killed; it is kept as a copy', async (t) => {
    for (const isKilled of [false, true]) {
      const { one, two } = await startSyncedPair(t, redis())
      await writeFiles(one.contentDir, { 'string/8ball.txt': 'perhaps\n' })
      const discard: typeof one.sync.discard = async (...options) => {
        await one.sync.discard(...options)
        await two.publisher.apply('list put', { category: 'string', kind: '8ball', text: 'never\n' }, { by })
        if (!isKilled) return
        await one.sync.update()
        throw new Error('killed')
      }
      const publishing = publishEdits({ ...one, sync: { ...one.sync, discard }, by })
      await assert.rejects(publishing, isKilled ? /killed/ : /string\/8ball\.txt was changed on another node/)
      for (const { sync } of [one, two]) await sync.update()
      assert.equal((await two.tree())['string/8ball.txt'], 'never\n')
      await assertSame(one, two)
      assert.deepEqual((await one.sync.checkFolder()).edited, [])
      assert.match(one.sync.incident() ?? '', /copies are in DATA_DIR\/sync\/replaced/)
      assert.ok((await listCopies(one)).includes('1-string_8ball.txt'))
    }
  })
  test('an edit that is saved while edits are published stays in the folder', async (t) => {
    const { one } = await startSyncedPair(t, redis())
    await writeFiles(one.contentDir, { 'string/8ball.txt': 'first\n' })
    const discard: typeof one.sync.discard = async (...options) => {
      await writeFiles(one.contentDir, { 'string/8ball.txt': 'second\n' })
      await one.sync.discard(...options)
    }
    const publishing = publishEdits({ ...one, sync: { ...one.sync, discard }, by })
    await assert.rejects(publishing, /string\/8ball\.txt was edited in the folder/)
    assert.equal((await one.tree())['string/8ball.txt'], 'second\n')
    assert.deepEqual((await one.sync.checkFolder()).edited, ['string/8ball.txt'])
  })
  test('edits that root publishes, or tries to publish, still belong to the user of the service', async (t) => {
    if (process.getuid?.() !== 0) return t.skip('only root can give files to another user')
    const user = 65_534
    const { one } = await startSyncedPair(t, redis())
    const edits = {
      'string/8ball.txt': 'perhaps\n',
      'app/news/first.md': '---\ntitle: [\n---\n',
      'app/files/own.exe': 'program',
    }
    await writeFiles(one.contentDir, edits)
    const paths = Object.keys(edits).map((file) => join(one.contentDir, file))
    for (const path of paths) await chown(path, user, user)
    await assert.rejects(publishEdits({ ...one, sync: one.sync, by }))
    for (const path of paths) assert.equal((await stat(path)).uid, user, path)
    await one.sync.discard(['app/news/first.md'])
    await publishEdits({ ...one, sync: one.sync, by })
    assert.equal((await stat(join(one.contentDir, 'string/8ball.txt'))).uid, user)
  })
})
