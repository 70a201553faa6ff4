import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readdir, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openDiskResultCache } from '../../../src/platform/store/disk-result-cache.ts'
import { mountSmallDisk } from '../../kit/disk.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { until } from '../../kit/until.ts'

const DAY_MS = 86_400_000
const MiB = 2 ** 20
const image = Buffer.from('the bytes of an image')

async function openCache(t: TestContext, { maxBytes = MiB, folder = '', clock = Date.now } = {}) {
  const used = folder || (await temporaryFolder(t))
  const log = createTestLog()
  const open = () => openDiskResultCache({ folder: used, maxBytes, log, clock })
  const listFiles = async () => (await readdir(used)).filter((name) => /^[0-9a-f]{64}$/.test(name))
  return { cache: open(), reopen: open, folder: used, log, listFiles }
}

test('a result survives a restart, byte for byte', async (t) => {
  const { cache, reopen } = await openCache(t)
  await cache.set('a', image, DAY_MS)
  assert.deepEqual(await cache.get('a'), image)
  assert.equal(await cache.get('b'), undefined)
  const { get, status } = reopen()
  assert.deepEqual(await get('a'), image)
  assert.deepEqual([status().hits, status().misses], [1, 0])
})

test('an expired result is a miss, and its file is deleted', async (t) => {
  let now = 1000
  const { cache, listFiles } = await openCache(t, { clock: () => now })
  await cache.set('a', image, 500)
  now += 501
  assert.equal(await cache.get('a'), undefined)
  assert.deepEqual([cache.status().misses, cache.status().invalid], [1, 0])
  await until(async () => (await listFiles()).length === 0)
})

test('the size limit holds, also after a restart: the least recently used results are deleted', async (t) => {
  const { cache, reopen, listFiles } = await openCache(t, { maxBytes: 100_000 })
  const large = Buffer.alloc(15_000, 1)
  for (const name of ['a', 'b', 'c', 'd']) await cache.set(name, large, DAY_MS)
  assert.ok(await cache.get('a'))
  for (const name of ['e', 'f']) await cache.set(name, large, DAY_MS)
  assert.ok(cache.status().bytes <= 100_000)
  assert.deepEqual(await cache.get('a'), large)
  assert.equal(await cache.get('b'), undefined)
  await until(async () => (await listFiles()).length <= 5)
  const small = reopen()
  await small.get('a')
  assert.ok(small.status().bytes <= 100_000)
})

test('a result that is larger than a lowered limit is deleted at the next start', async (t) => {
  const { cache, folder, listFiles } = await openCache(t)
  await cache.set('a', Buffer.alloc(20_000), DAY_MS)
  await (await openCache(t, { folder, maxBytes: 10_000 })).cache.close()
  assert.deepEqual(await listFiles(), [])
})

test('files that were changed, cut off, swapped or made by others are not used', async (t) => {
  const { cache, folder, listFiles } = await openCache(t)
  const changeOnly = async (change: (file: string) => Promise<unknown>) => {
    await cache.set('a', image, DAY_MS)
    const [file] = await listFiles()
    await change(join(folder, file!))
    assert.equal(await cache.get('a'), undefined)
    // The file of an invalid result is deleted.
    await until(async () => (await listFiles()).length === 0)
  }
  await changeOnly(async (file) => {
    const bytes = await readFile(file)
    bytes[bytes.length - 1]! ^= 1
    await writeFile(file, bytes)
  })
  await changeOnly(async (file) => {
    const bytes = await readFile(file)
    bytes.writeDoubleBE(Number.MAX_VALUE, 32)
    await writeFile(file, bytes)
  })
  await changeOnly((file) => truncate(file, 50))
  await changeOnly((file) => truncate(file, 0))
  await changeOnly((file) => writeFile(file, Buffer.alloc(5 * MiB)))
  await changeOnly(async (file) => {
    await cache.set('b', image, DAY_MS)
    const [first, second] = await listFiles()
    const other = join(folder, join(folder, first!) === file ? second! : first!)
    await rename(other, file)
  })
  // A file that is too large is not read, so it counts as a miss.
  assert.deepEqual([cache.status().hits, cache.status().invalid], [0, 5])
})

test('another key, or none, makes the old files useless', async (t) => {
  const { cache, reopen, folder } = await openCache(t)
  await cache.set('a', image, DAY_MS)
  await writeFile(join(folder, 'key'), 'short')
  const other = reopen()
  assert.equal(await other.get('a'), undefined)
  await other.set('a', image, DAY_MS)
  assert.deepEqual(await other.get('a'), image)
})

test('a large result is verified by another thread', async (t) => {
  const { cache } = await openCache(t, { maxBytes: 200 * MiB })
  const large = Buffer.alloc(32 * MiB, 'noise')
  await cache.set('a', large, DAY_MS)
  const measureMs = () => {
    const [all, own] = [process.cpuUsage(), process.threadCpuUsage()].map(({ user, system }) => (user + system) / 1000)
    return { own: own!, others: all! - own! }
  }
  const start = measureMs()
  createHmac('sha256', 'key').update(large).digest()
  const before = measureMs()
  assert.ok((await cache.get('a'))?.equals(large))
  const othersMs = measureMs().others - before.others
  const digestMs = before.own - start.own
  assert.ok(othersMs > 0.7 * digestMs, `other threads worked for ${othersMs} ms, a digest takes ${digestMs} ms`)
})

test('only the owner can read the files', async (t) => {
  const { cache, folder, listFiles } = await openCache(t)
  await cache.set('a', image, DAY_MS)
  for (const name of ['key', ...(await listFiles())]) {
    assert.equal((await stat(join(folder, name))).mode & 0o077, 0, name)
  }
})

test('what a crash left behind is removed at the next start', async (t) => {
  const { cache, reopen, folder } = await openCache(t)
  await cache.set('a', image, DAY_MS)
  await writeFile(join(folder, 'half.tmp'), 'half')
  await reopen().get('a')
  assert.ok(!(await readdir(folder)).includes('half.tmp'))
})

test('a full or read-only disk costs only the cache, and is logged once', async (t) => {
  const disk = await mountSmallDisk(t, 8 * MiB)
  if (!disk) return
  const { cache, log } = await openCache(t, { folder: join(disk.folder, 'results'), maxBytes: 1000 * MiB })
  const noise = Buffer.alloc(MiB, 'noise')
  for (let nth = 0; nth < 12; nth++) await cache.set(String(nth), noise, DAY_MS)
  assert.ok(cache.status().skipped > 0)
  assert.match(cache.problem() ?? '', /cannot be used/)
  assert.equal(log.lines.length, 1)
  assert.equal(await cache.get('unknown'), undefined)
  // The last file for which there was space is complete.
  const { stored } = cache.status()
  for (let nth = 0; nth < 12; nth++) await cache.get(String(nth))
  assert.deepEqual([cache.status().hits, cache.status().invalid], [stored, 0])
})

test('a folder that cannot be created costs only the cache', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'file'), '')
  const { cache } = await openCache(t, { folder: join(folder, 'file', 'results') })
  await cache.set('a', image, DAY_MS)
  assert.equal(await cache.get('a'), undefined)
  assert.equal(cache.status().skipped, 1)
})
