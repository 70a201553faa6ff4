import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { StorageFull } from '../../../src/errors/index.ts'
import { createPublisher, createUploads } from '../../../src/features/publishing/index.ts'
import { mountSmallDisk } from '../../kit/disk.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { tinyPng } from '../../kit/pictures.ts'
import { news, writeFiles } from '../../kit/releases.ts'
import { readTree } from '../../kit/sync.ts'

const by = 'a test'
const LANGUAGES = ['de', 'fr', 'it', 'es']
const text = `---\ntitle: x\n---\n${'A line.\n'.repeat(3000)}`
const files = {
  'app/news/item.md': news('Item'),
  ...Object.fromEntries(LANGUAGES.map((lang) => [`app/news/item.${lang}.md`, text])),
}

/** Leaves this many free bytes. */
async function fill(folder: string, free: number): Promise<void> {
  const { bavail, bsize } = statfsSync(folder)
  await writeFile(join(folder, 'filler'), Buffer.alloc(Math.max(0, bavail * bsize - free)))
}

const MIB = 1024 * 1024

test('a change for which the disk has no space changes nothing, however much of it fits', async (t) => {
  const disk = await mountSmallDisk(t, 2 * MIB)
  if (!disk) return
  const contentDir = join(disk.folder, 'content')
  const dataDir = await temporaryFolder(t)
  await writeFiles(contentDir, files)
  const publisher = createPublisher({ contentDir, dataDir })
  const { history } = await publisher.apply('news remove', { id: 'item' }, { by })
  for (const free of [0, 8192, 32_768, 65_536, 98_304]) {
    await fill(disk.folder, free)
    const before = await readTree(contentDir)
    await assert.rejects(publisher.undo(history!, { by }), /Nothing was changed: ENOSPC/)
    assert.deepEqual(await readTree(contentDir), before)
    assert.deepEqual(await readdir(join(contentDir, 'app/news')), [])
    assert.deepEqual(
      (await publisher.history.list(10)).map(({ id }) => id),
      [history],
    )
    await rm(join(disk.folder, 'filler'))
  }
  await publisher.undo(history!, { by })
  assert.deepEqual(await readTree(contentDir), files)
})

test('a disk that becomes full during an upload is named as the reason, and the upload can be continued', async (t) => {
  const disk = await mountSmallDisk(t, 72 * MIB)
  if (!disk) return
  const bytes = Buffer.alloc(MIB, 'a file')
  const sha256 = hash('sha256', bytes)
  const uploads = createUploads(join(disk.folder, 'uploads'), 2 * MIB)
  async function* body() {
    yield bytes.subarray(0, MIB / 2)
    // Space for a part of the rest.
    await fill(disk!.folder, 100_000)
    yield bytes.subarray(MIB / 2)
  }
  await assert.rejects(uploads.receive(sha256, body(), { start: 0 }, 'token'), StorageFull)
  await rm(join(disk.folder, 'filler'))
  const { bytes: present } = (await uploads.find(sha256))!
  const rest = [bytes.subarray(present)]
  const received = await uploads.receive(sha256, Readable.from(rest), { start: present }, 'token')
  assert.deepEqual(received, { bytes: MIB, complete: true })
})

test('files that were changed before one that cannot be changed are restored', async (t) => {
  let mounted = ''
  t.after(() => spawnSync('umount', ['--lazy', mounted]))
  const contentDir = await temporaryFolder(t)
  const dataDir = await temporaryFolder(t)
  await writeFiles(contentDir, files)
  const publisher = createPublisher({ contentDir, dataDir })
  // A mounted file can neither be removed nor replaced.
  mounted = join(contentDir, 'app/news/item.fr.md')
  if (spawnSync('mount', ['--bind', mounted, mounted]).status !== 0) return t.skip('needs the permission to mount')
  await assert.rejects(publisher.apply('news remove', { id: 'item' }, { by }), /Nothing was changed: EBUSY/)
  assert.deepEqual(await readTree(contentDir), files)
  assert.deepEqual(await publisher.history.list(10), [])
  assert.deepEqual(await publisher.history.listPending(), [])
  spawnSync('umount', ['--lazy', mounted])
  await publisher.apply('news remove', { id: 'item' }, { by })
  assert.deepEqual(await readTree(contentDir), {})
})

test('files and pictures leave space for the store, the logs and other changes', async (t) => {
  const disk = await mountSmallDisk(t, 66 * MIB)
  if (!disk) return
  const [contentDir, folder] = [join(disk.folder, 'content'), await temporaryFolder(t)]
  const [file, picture] = [join(folder, 'setup.exe'), join(folder, 'fox.png')]
  await writeFile(file, Buffer.alloc(MIB, 'x'))
  await writeFile(picture, tinyPng(3))
  const publisher = createPublisher({ contentDir, dataDir: join(disk.folder, 'data') })
  const publish = (version: string) =>
    publisher.apply('release publish', { application: 'launcher', version, assets: [{ file }] }, { by })
  const { history } = await publish('1.0.0')
  await publisher.undo(history!, { by })
  await assert.rejects(publish('2.0.0'), { code: 'STORAGE_FULL' })
  await fill(disk.folder, 64 * MIB)
  const add = publisher.apply('content add', { kind: 'fox', author: 'Ann', sources: [picture] }, { by })
  await assert.rejects(add, { code: 'STORAGE_FULL' })
  await publisher.apply('news put', { id: 'full', title: 'Full', markdown: 'Full.' }, { by })
  assert.deepEqual(Object.keys(await readTree(contentDir)), ['app/files/launcher-1.0.0.exe', 'app/news/full.md'])
})
