import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openContentSync } from '../../../src/features/publishing/index.ts'
import type { Log } from '../../../src/platform/logging/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { describeWithRedis } from '../../kit/redis.ts'
import { news, writeFiles } from '../../kit/releases.ts'
import { putNews, type SyncedNode, startSyncedPair } from '../../kit/sync.ts'
import { until } from '../../kit/until.ts'

describeWithRedis('the thread that updates the content', (redis) => {
  type Folders = Pick<SyncedNode, 'contentDir' | 'dataDir'>

  async function openThread(t: TestContext, { contentDir, dataDir }: Folders, log: Log = createTestLog()) {
    const options = { storeUrl: redis().url, contentDir, dataDir, isShared: false, maxFileBytes: 1e5, maxBytes: 1e6 }
    const sync = await openContentSync(options, log)
    t.after(() => sync.close())
    return sync
  }

  test('Redis that lost its data is reported', async (t) => {
    const { one } = await startSyncedPair(t, redis())
    const sync = await openThread(t, one)
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
    const sync = await openThread(t, { contentDir, dataDir }, log)
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
    const { one } = await startSyncedPair(t, redis())
    const [contentDir, dataDir] = [await temporaryFolder(t), await temporaryFolder(t)]
    const sync = await openThread(t, { contentDir, dataDir })
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

  test('the public log and problems do not name files that may be scheduled, nor folders of the machine', async (t) => {
    const { one, two } = await startSyncedPair(t, redis())
    const secret = 'app/news/secret-plan.md'
    await putNews(one, 'secret-plan')
    await two.sync.update()
    const written: string[] = []
    const write = (fields: object, text: string) => void written.push(JSON.stringify([text, fields]))
    const log = { info: write, warn: write, error: write } as Log
    const { contentDir, dataDir } = two
    const running = await openThread(t, two, log)

    await rm(join(contentDir, secret))
    await until(() => written.some((line) => line.includes('restored files that were missing')))
    await writeFiles(contentDir, { [secret]: news('Edited') })
    await until(() => running.problems().some((problem) => problem.startsWith('a file in app/news was edited')))
    await putNews(one, 'secret-plan', 'Newer')
    await until(() => running.problems().some((problem) => problem.startsWith('files of this node, which differed')))
    assert.ok(written.some((line) => line.includes('is replaced by the published one')))
    await rm(join(contentDir, 'string'), { recursive: true })
    await symlink('string', join(contentDir, 'string'))
    await until(() => running.problems().some((problem) => problem.startsWith('CONTENT_DIR/string')))

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
})
