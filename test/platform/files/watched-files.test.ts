import assert from 'node:assert/strict'
import { appendFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type FileState, identify, WatchedFiles } from '../../../src/platform/files/index.ts'
import { mountSmallDisk } from '../../kit/disk.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { until, untilEqual } from '../../kit/until.ts'

const WITHIN_MS = 2000
const LONG_AGO = new Date('2024-01-01')

/** Values are texts; a text that starts with "bad" is a problem. */
async function openFiles(
  t: TestContext,
  texts: Record<string, string>,
  { isWatched = true, folder: given }: { isWatched?: boolean; folder?: string } = {},
) {
  const folder = given ?? (await temporaryFolder(t))
  for (const [name, text] of Object.entries(texts)) {
    await writeFile(join(folder, name), text)
    await utimes(join(folder, name), LONG_AGO, LONG_AGO)
  }
  const reads: string[] = []
  const settings = { isLocked: false, changes: 0 }
  const readOne = async (name: string, { isFile }: FileState) => {
    reads.push(name)
    if (settings.isLocked || !isFile) return { problems: [`${name} cannot be read`], isTemporary: settings.isLocked }
    const text = await readFile(join(folder, name), 'utf8')
    return text.startsWith('bad') ? { problems: [`${name}: ${text}`] } : { value: text, problems: [] }
  }
  const files = await WatchedFiles.open<string, string>({
    folder,
    watch: isWatched ? [folder] : [],
    list: async () => (await readdir(folder)).sort(),
    read: async (states) =>
      new Map(await Promise.all([...states].map(async ([n, s]) => [n, await readOne(n, s)] as const))),
    groupOf: () => 'all',
    onChange: () => settings.changes++,
  })
  t.after(() => files.close())
  const values = () => Object.fromEntries(files.values)
  return { folder, files, reads, settings, values }
}

test('files that are added, changed and removed are read within two seconds', async (t) => {
  const { folder, values } = await openFiles(t, { a: 'one' })
  assert.deepEqual(values(), { a: 'one' })
  await writeFile(join(folder, 'b'), 'two')
  await untilEqual(values, { a: 'one', b: 'two' }, WITHIN_MS)
  await writeFile(join(folder, 'a'), 'new')
  await untilEqual(values, { a: 'new', b: 'two' }, WITHIN_MS)
  await rm(join(folder, 'a'))
  await untilEqual(values, { b: 'two' }, WITHIN_MS)
})

test('an edit of the same size in the same second is read, also on a disk whose times are whole seconds', async (t) => {
  const disk = await mountSmallDisk(t, 4 * 2 ** 20, 1024, 128)
  if (!disk) return
  const folder = join(disk.folder, 'content')
  await mkdir(folder)
  const { files, values } = await openFiles(t, { a: 'one' }, { folder })
  const file = join(folder, 'a')
  for (;;) {
    writeFileSync(file, 'two')
    await files.reload()
    assert.deepEqual(values(), { a: 'two' })
    const before = statSync(file)
    writeFileSync(file, 'new')
    // Otherwise the next second has begun meanwhile.
    if (identify(statSync(file)) === identify(before)) break
  }
  await untilEqual(values, { a: 'new' }, 2 * WITHIN_MS)
})

test('a bad file keeps its last good value, and its problem disappears with the next good version', async (t) => {
  const { folder, files, values } = await openFiles(t, { a: 'one', b: 'bad from the start' })
  assert.deepEqual(values(), { a: 'one' })
  assert.deepEqual(files.problems, ['b: bad from the start'])
  await writeFile(join(folder, 'a'), 'bad')
  await files.reload()
  assert.deepEqual(values(), { a: 'one' })
  assert.deepEqual(files.problems, ['a: bad', 'b: bad from the start'])
  await writeFile(join(folder, 'a'), 'two')
  await files.reload()
  assert.deepEqual(values(), { a: 'two' })
  assert.deepEqual(files.problems, ['b: bad from the start'])
})

test('a file that is being written is not read, and does not delay other files', async (t) => {
  const { folder, files, reads, values } = await openFiles(t, { a: 'one', b: 'one' }, { isWatched: false })
  reads.length = 0
  writeFileSync(join(folder, 'a'), '')
  const writing = setInterval(() => appendFileSync(join(folder, 'a'), 'x'), 30)
  t.after(() => clearInterval(writing))
  writeFileSync(join(folder, 'b'), 'two')
  await files.reload()
  assert.deepEqual(values(), { a: 'one', b: 'two' })
  assert.deepEqual(files.unsettled, ['a'])
  assert.deepEqual(reads, ['b'])
  clearInterval(writing)
  await files.reload()
  assert.deepEqual(files.unsettled, [])
  assert.match(values().a!, /^x+$/)
})

test('a file that is truncated, or removed for a moment, before it is rewritten keeps its value until then', async (t) => {
  const { folder, files, values } = await openFiles(t, { a: 'one', b: 'one' }, { isWatched: false })
  const [a, b] = [join(folder, 'a'), join(folder, 'b')]
  // Some file systems briefly show a truncated file with its old time.
  writeFileSync(a, '')
  utimesSync(a, LONG_AGO, LONG_AGO)
  renameSync(b, `${folder}.b`)
  t.after(() => rm(`${folder}.b`, { force: true }))
  const reloading = files.reload()
  const seen = new Set<string>()
  const watching = setInterval(() => seen.add(JSON.stringify(values())), 5)
  t.after(() => clearInterval(watching))
  await new Promise((resolve) => setTimeout(resolve, 50))
  writeFileSync(a, 'two')
  writeFileSync(b, 'two')
  await reloading
  await until(() => seen.size === 2)
  assert.deepEqual([...seen], ['{"a":"one","b":"one"}', '{"a":"two","b":"two"}'])
})

test('a file that cannot be read for a while is read again without a change, and reported once', async (t) => {
  const { folder, files, settings, values } = await openFiles(t, { a: 'one' }, { isWatched: false })
  settings.isLocked = true
  await writeFile(join(folder, 'a'), 'two')
  await files.reload()
  const { changes } = settings
  assert.equal(await files.reload(), false)
  assert.deepEqual(files.problems, ['a cannot be read'])
  assert.equal(settings.changes, changes)
  settings.isLocked = false
  assert.equal(await files.reload(), true)
  assert.deepEqual(values(), { a: 'two' })
})

test('a file that becomes a folder keeps its last good value', async (t) => {
  const { folder, files, values } = await openFiles(t, { a: 'one' }, { isWatched: false })
  await rm(join(folder, 'a'))
  await mkdir(join(folder, 'a'))
  await files.reload()
  assert.deepEqual(values(), { a: 'one' })
  assert.deepEqual(files.problems, ['a cannot be read'])
})

test('while the files cannot be listed, everything stays as it is', async (t) => {
  const { folder, files, values } = await openFiles(t, { a: 'one' }, { isWatched: false })
  await rm(folder, { recursive: true })
  assert.equal(await files.reload(), true)
  assert.match(files.error?.message ?? '', /ENOENT/)
  assert.deepEqual(values(), { a: 'one' })
  assert.equal(await files.reload(), false, 'the same error is reported once')
})

test('a routine check of many files finds new ones', async (t) => {
  const texts = Object.fromEntries(Array.from({ length: 300 }, (_, number) => [`file-${number}`, 'text']))
  const { folder, files, values } = await openFiles(t, texts, { isWatched: false })
  await writeFile(join(folder, 'new'), 'new')
  await files.reload(false)
  assert.equal(values().new, 'new')
})

test('routine checks of many files find every change after a few rounds', async (t) => {
  const texts = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`f${String(n).padStart(3, '0')}`, 'one']))
  const { folder, files, values } = await openFiles(t, texts, { isWatched: false })
  for (const name of ['f003', 'f300', 'f599']) writeFileSync(join(folder, name), 'two')
  await files.reload(false)
  assert.equal(values().f003, 'two', 'the first files are checked every time')
  for (let round = 0; round < 3; round++) await files.reload(false)
  assert.equal(values().f300, 'two')
  assert.equal(values().f599, 'two')
})

test('a file whose problem is no longer temporary is not read at each check', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'a'), 'one')
  let reads = 0
  const files = await WatchedFiles.open<string, string>({
    folder,
    list: async () => ['a'],
    read: async () => new Map([['a', { problems: ['it takes too long'], isTemporary: ++reads === 1 }]]),
  })
  t.after(() => files.close())
  for (let checks = 0; checks < 3; checks++) await files.reload(false)
  assert.equal(reads, 2)
})
