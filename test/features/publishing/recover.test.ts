import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { editContent } from '../../../src/features/content/index.ts'
import { limitFolder, openHistory } from '../../../src/features/publishing/history.ts'
import { createPublisher, publishEdits } from '../../../src/features/publishing/index.ts'
import { createRecorder } from '../../../src/features/publishing/record.ts'
import { succeeds } from '../../../src/platform/concurrency/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { tinyPng } from '../../kit/pictures.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import { news, writeFiles } from '../../kit/releases.ts'
import { ROOT } from '../../kit/root.ts'
import { FILES, openSyncedNode } from '../../kit/sync.ts'
import { until } from '../../kit/until.ts'

/** A release is tested with more: KILL_TRIES=200. */
const TRIES = Number(process.env.KILL_TRIES ?? 4)
const LANGUAGES = ['de', 'fr', 'it', 'es']

test('a process that is killed leaves the files before or after a change, never a mixture', {
  timeout: 60_000 + TRIES * 10_000,
}, async (t) => {
  const folder = await temporaryFolder(t)
  const [contentDir, dataDir] = [join(folder, 'content'), join(folder, 'data')]
  const list = async (name: string) =>
    (await readdir(join(contentDir, name)).catch(() => [])).filter((file) => !file.startsWith('.'))
  const translations = LANGUAGES.map((lang) => [`news/item.${lang}.md`, '---\ntitle: x\n---\nx\n'])
  await writeFiles(join(contentDir, 'app'), { 'news/item.md': news('Item'), ...Object.fromEntries(translations) })
  const pictures = Array.from({ length: 8 }, (_, index) => join(folder, `${index}.png`))
  for (const [index, file] of pictures.entries()) await writeFile(file, tinyPng(index + 1))
  const publisher = createPublisher({ contentDir, dataDir })

  for (let i = 0; i < TRIES; i++) {
    const program = join(ROOT, 'test/kit/killed-publisher.ts')
    const child = spawn(process.execPath, [program, contentDir, dataDir, ...pictures], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    // Any moment is good: the loop never ends.
    await sleep(Math.random() * 150)
    child.kill('SIGKILL')
    await once(child, 'exit')

    await publisher.recover()
    const newsFiles = await list('app/news')
    assert.ok([0, 1 + LANGUAGES.length].includes(newsFiles.length), newsFiles.join())
    const otters = await list('animals/otter')
    assert.ok([0, pictures.length + 1].includes(otters.length), otters.join())
    if (otters.length > 0) {
      const credits = await readFile(join(contentDir, 'animals/otter/credits.yaml'), 'utf8')
      assert.equal(credits.match(/author: Ann/g)?.length, pictures.length)
    }
    // The next try starts with all news and no picture.
    for (const { id, change } of await publisher.history.list(1)) {
      const isUndone = change === 'history undo'
      if (!isUndone) await publisher.undo(id, { by: 'a test' })
    }
    assert.deepEqual([(await list('app/news')).length, (await list('animals/otter')).length], [1 + LANGUAGES.length, 0])
  }
})

test('a history that cannot be listed is not taken for an empty one: no entry is replaced', async (t) => {
  const folder = await temporaryFolder(t)
  const history = openHistory(join(folder, 'history'))
  const add = async (subject: string) =>
    history.commit((await history.add({ by: 'a test', change: 'news put', subject, files: [] })).id)
  await add('first')
  await chmod(folder, 0o755)
  // Others may create files in it, but not list it. Root may do everything.
  await chmod(join(folder, 'history'), 0o333)
  const user = process.geteuid?.() ?? 0
  if (user === 0) process.seteuid?.(65_534)
  try {
    await assert.rejects(add('second'), { code: 'EACCES' })
  } finally {
    process.seteuid?.(user)
  }
  await chmod(join(folder, 'history'), 0o755)
  await add('second')
  const subjects = (await history.list(10)).map(({ id, subject }) => [id, subject])
  assert.deepEqual(subjects, [
    [2, 'second'],
    [1, 'first'],
  ])
})

test('a file in the place of the history refuses changes instead of keeping the publisher busy forever', async (t) => {
  const folder = await temporaryFolder(t)
  const [contentDir, dataDir] = [join(folder, 'content'), join(folder, 'data')]
  await writeFiles(dataDir, { history: 'not a folder' })
  const change = (publisher: ReturnType<typeof createPublisher>) =>
    publisher.apply('news put', { id: 'a', title: 'A', markdown: 'a' }, { by: 'a test' })
  await assert.rejects(change(createPublisher({ contentDir, dataDir })), /^Error: Nothing was changed: ENOTDIR/)
  assert.deepEqual(await readdir(join(contentDir, 'app/news')).catch(() => []), [])
  await rename(join(dataDir, 'history'), join(dataDir, 'moved'))
  assert.equal((await change(createPublisher({ contentDir, dataDir }))).history, 1)
})

test('temporary files that killed processes left are removed by a later change', async (t) => {
  const folder = await temporaryFolder(t)
  const [contentDir, dataDir] = [join(folder, 'content'), join(folder, 'data')]
  const left = [
    join(contentDir, 'app/news/.item.md.0123456789ab.tmp'),
    join(dataDir, 'history/.1.json.0123456789ab.tmp'),
  ]
  const others = ['.item.md.ba9876543210.tmp', '.own.tmp', 'item.0123456789ab.tmp']
  await writeFiles('/', Object.fromEntries(left.map((file) => [file, ''])))
  await writeFiles(join(contentDir, 'app/news'), Object.fromEntries(others.map((name) => [name, ''])))
  const old = new Date(Date.now() - 7_200_000)
  for (const file of [...left, ...others.slice(1).map((name) => join(contentDir, 'app/news', name))])
    await utimes(file, old, old)
  const publisher = createPublisher({ contentDir, dataDir })
  await publisher.apply('news put', { id: 'item', title: 'Item', markdown: 'x' }, { by: 'a test' })
  assert.deepEqual((await readdir(join(contentDir, 'app/news'))).sort(), [...others, 'item.md'].sort())
  assert.deepEqual(await readdir(join(dataDir, 'history')), ['1.json'])
})

test('a process that is killed while it publishes edits of a node loses none of them', {
  ...needsRedis,
  timeout: 60_000 + TRIES * 10_000,
}, async (t) => {
  const redis = await startRedis(t)
  const node = await openSyncedNode(t, redis.url, FILES)
  // Redis may not reply in time.
  await until(() => succeeds(node.sync.begin()))
  const { contentDir, dataDir } = node
  let edit = 0
  for (let i = 0; i < 2 * TRIES; i++) {
    const program = join(ROOT, 'test/kit/killed-editor.ts')
    const child = spawn(process.execPath, [program, redis.url, contentDir, dataDir, String(edit + 1)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const closed = once(child, 'close')
    child.stdout.on('data', (lines) => {
      edit = Math.max(edit, ...String(lines).trim().split('\n').map(Number))
    })
    await once(child.stdout, 'data')
    // Any moment is good: the loop never ends.
    await sleep(Math.random() * 150)
    child.kill('SIGKILL')
    await closed

    await until(() => succeeds(node.sync.update({ isNode: true })))
    await until(() => succeeds(node.sync.checkFolder()))
    for (const file of Object.keys(FILES)) {
      const text = await readFile(join(contentDir, file), 'utf8')
      assert.ok(Number(/Edit (\d+)/.exec(text)?.[1] ?? 0) >= edit, `edit ${edit} of ${file} is lost: ${text}`)
    }
  }
  await until(() => succeeds(publishEdits({ contentDir, dataDir, sync: node.sync, by: 'a test' })))
  assert.deepEqual((await node.sync.checkFolder()).edited, [])
})

test('a change of another folder does not remove one whose record is being written', async (t) => {
  const history = openHistory(await temporaryFolder(t))
  const lines = ['x'.repeat(20_000_000)]
  const file = { file: 'app/releases.yaml', line: 0, removed: [], added: lines, before: null, after: null }
  const adding = history.add({ by: 'a test', change: 'release notes', subject: 'launcher 1.0.0', files: [file] })
  const found: number[] = []
  for (let isAdded = false; !isAdded; ) {
    isAdded = await Promise.race([adding.then(() => true), sleep(1, false)])
    found.push(...(await history.listPending()).map(({ files }) => files.length))
  }
  assert.deepEqual([...new Set(found)], [1])
})

test('a change that is made in several parts names all of them', async (t) => {
  const contentDir = await temporaryFolder(t)
  const record = createRecorder({ history: openHistory(await temporaryFolder(t)), contentDir })
  const about = { change: 'content add', subject: 'otter' }
  const changed = await record(about, false, { by: 'a test' }, async (options) => {
    const writeTo = (files: readonly string[]) =>
      editContent(contentDir, options, async ({ write }) => {
        for (const file of files) await write(file, 'yes\n')
        return {}
      })
    await writeTo(['string/a.txt'])
    await writeTo(['string/b.txt'])
    return writeTo([])
  })
  assert.deepEqual([changed.history, changed.parts], [2, [1, 2]])

  // A folder of this name cannot be created.
  await writeFile(join(contentDir, 'kaomoji'), '')
  const failing = record(about, false, { by: 'a test' }, async (options) => {
    const writeTo = (file: string) =>
      editContent(contentDir, options, async ({ write }) => {
        await write(file, 'no\n')
        return {}
      })
    await writeTo('string/a.txt')
    return writeTo('kaomoji/b.txt')
  })
  await assert.rejects(failing, /Only a part was changed \(change 3\)\. Repeat the rest\. EEXIST/)
})

test('an entry of the history that another program has damaged is not listed', async (t) => {
  const folder = await temporaryFolder(t)
  for (const [index, text] of ['{}', 'null', '{'].entries()) await writeFile(join(folder, `${index + 1}.json`), text)
  assert.deepEqual(await openHistory(folder).list(10), [])
})

test('the record of a killed process that cannot be read is not removed, and refuses changes', async (t) => {
  const [contentDir, dataDir] = [await temporaryFolder(t), await temporaryFolder(t)]
  const pending = join(dataDir, 'history/1.pending.json')
  await mkdir(dirname(pending))
  // Root can read a file without permissions.
  await symlink(pending, pending)
  const publisher = createPublisher({ contentDir, dataDir })
  const list = { category: 'string', kind: '8ball', text: 'yes\n' } as const
  await assert.rejects(publisher.apply('list put', list, { by: 'a test' }), /Nothing was changed: ELOOP/)
  assert.deepEqual(await readdir(dirname(pending)), ['1.pending.json'])
})

test('of the copies that a folder keeps, the newest stays, whatever its size', async (t) => {
  const folder = await temporaryFolder(t)
  for (const name of ['a', 'b']) await writeFile(join(folder, name), name)
  await utimes(join(folder, 'a'), 1, 1)
  await limitFolder(folder, 0)
  assert.deepEqual(await readdir(folder), ['b'])
})
