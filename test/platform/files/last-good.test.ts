import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { acceptEntries, lastGoodFoldersIn, ShrinkGuard, WatchedFiles } from '../../../src/platform/files/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { until, untilEqual } from '../../kit/until.ts'

/** Files "n-…" are one group with one entry per file; others are groups of their own with one entry per line. */
async function openFolder(t: TestContext, texts: Record<string, string>) {
  const root = await temporaryFolder(t)
  const [folder, dataDir] = [join(root, 'content'), join(root, 'data')]
  await mkdir(folder)
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text)
  const log = createTestLog()
  const open = async ({ isWriter = true } = {}) => {
    const files = await WatchedFiles.open<string, string>({
      folder,
      watch: [folder],
      list: async () => (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.')).sort(),
      read: async (states, { pathOf }) => {
        const read = async (name: string) => {
          const text = await readFile(pathOf(name), 'utf8')
          return [name, text.startsWith('bad') ? { problems: [name] } : { value: text, problems: [] }] as const
        }
        return new Map(await Promise.all([...states.keys()].map(read)))
      },
      groupOf: (name) => (name.startsWith('n-') ? 'news' : name),
      countEntries: (text) => text.split('\n').filter(Boolean).length,
      lastGoodFolder: lastGoodFoldersIn(dataDir, { isWriter, log })('part'),
    })
    t.after(() => files.close())
    return {
      values: () => Object.fromEntries([...files.values].sort()),
      problems: () =>
        files.lastGood.problems.map(({ file, message }) => `${file}: ${message.split('. ', 2).join('. ')}.`),
      entryCounts: () => files.lastGood.entryCounts,
      reload: () => files.reload(),
      close: () => files.close(),
    }
  }
  const kept = join(dataDir, 'last-good', 'part')
  const listKept = () => readdir(kept).catch((): string[] => [])
  const untilSaved = () => until(async () => (await listKept()).includes('state.json'))
  return { folder, kept, listKept, untilSaved, log, open, file: (name: string) => join(folder, name) }
}

const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`n-${n}`, `${n}`]))
const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}\n`).join('')

const DAY_MS = 86_400_000

const faults: Record<string, (folder: string) => Promise<void>> = {
  'is emptied': async (folder) => {
    for (const name of await readdir(folder)) await rm(join(folder, name))
  },
  vanishes: (folder) => rm(folder, { recursive: true }),
  'becomes a file': async (folder) => {
    await rm(folder, { recursive: true })
    await writeFile(folder, '')
  },
  'has only files without bytes': async (folder) => {
    for (const name of await readdir(folder)) await writeFile(join(folder, name), '')
  },
}
describe('the last good state', { concurrency: 4 }, () => {
  for (const [what, cause] of Object.entries(faults)) {
    test(`a folder that ${what} keeps its last good state, also after a restart, until its files are back`, async (t) => {
      const texts = { list: lines(3), ...numbered(2) }
      const { folder, untilSaved, open } = await openFolder(t, texts)
      const first = await open()
      await untilSaved()
      await cause(folder)
      await until(() => first.problems().length === 2)
      assert.deepEqual(first.values(), texts)
      await first.close()

      const second = await open()
      assert.deepEqual(second.values(), texts)
      assert.deepEqual(second.problems(), [
        'list: It has 0 of 3 entries. The last good state stays in use.',
        'news: It has 0 of 2 entries. The last good state stays in use.',
      ])
      await rm(folder, { recursive: true, force: true })
      await mkdir(folder)
      for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text)
      // One of two files is no loss, so there is no problem while the second one is not written yet.
      await untilEqual(() => [second.problems(), second.values()], [[], texts])
    })
  }

  test('a file that somebody truncates while it is copied does not stop the copying', async (t) => {
    const { file, untilSaved, open } = await openFolder(t, {})
    // It is shorter than its size, as a file is that was truncated after its size was read.
    await symlink('/sys/devices/system/cpu/online', file('list'))
    const running = await open()
    await untilSaved()
    await running.close()
  })

  test('the copy is not written again while a loss lasts', async (t) => {
    const { file, kept, untilSaved, open } = await openFolder(t, { list: lines(30) })
    const running = await open()
    await untilSaved()
    const readTime = async () => (await stat(join(kept, 'state.json'), { bigint: true })).mtimeNs
    const savedAt = await readTime()
    await rm(file('list'))
    await until(() => running.problems().length === 1)
    await running.reload()
    await running.close()
    assert.equal(await readTime(), savedAt)
  })

  test('a smaller state is in use once it is confirmed, and a later loss needs another confirmation', async (t) => {
    const { folder, file, open } = await openFolder(t, { list: lines(30), ...numbered(3) })
    const running = await open()
    await writeFile(file('list'), lines(14))
    await rm(file('n-0'))
    await running.reload()
    assert.equal(running.problems().length, 1)
    assert.equal(running.values().list, lines(30))
    assert.deepEqual(Object.keys(running.values()), ['list', 'n-1', 'n-2'], 'one of three is not a loss')
    await acceptEntries(folder, { list: 14 })
    await untilEqual(running.problems, [])
    assert.equal(running.values().list, lines(14))

    await writeFile(file('list'), lines(28))
    await until(() => running.values().list === lines(28))
    await writeFile(file('list'), lines(13))
    await until(() => running.problems().length === 1)
    assert.equal(running.values().list, lines(28))
  })

  test('a confirmation while the service is stopped counts at the next start, also for groups that it does not name', async (t) => {
    const { folder, file, open } = await openFolder(t, { list: lines(3), other: lines(2), ...numbered(3) })
    await (await open()).close()
    await rm(file('list'))
    await rm(file('other'))
    await acceptEntries(folder, { news: 3 }, { isComplete: true })
    const { values, problems } = await open()
    assert.deepEqual(values(), numbered(3))
    assert.deepEqual(problems(), [])
  })

  test('a file that is invalid at the start has its last good value', async (t) => {
    const { file, open } = await openFolder(t, { list: 'good', ...numbered(2) })
    await (await open()).close()
    await writeFile(file('list'), 'bad')
    await writeFile(file('n-1'), 'bad')
    const { values, problems, close } = await open()
    assert.deepEqual(values(), { list: 'good', ...numbered(2) })
    assert.deepEqual(problems(), [])
    await close()
    assert.deepEqual((await open()).values(), { list: 'good', ...numbered(2) }, 'the invalid bytes were not kept')
  })

  test('files that are deleted one after the other all come back when most of them are gone', async (t) => {
    const { file, open } = await openFolder(t, numbered(12))
    const { values, problems, reload } = await open()
    for (let n = 0; n < 7; n++) {
      await rm(file(`n-${n}`))
      await reload()
      assert.equal(Object.keys(values()).length, n < 6 ? 11 - n : 12)
    }
    assert.deepEqual(problems(), ['news: It has 5 of 12 entries. The last good state stays in use.'])
  })

  test('a folder without files has no problem at the first start', async (t) => {
    const { folder, open } = await openFolder(t, {})
    await rename(folder, `${folder}-moved`)
    const { values, problems } = await open()
    assert.deepEqual([values(), problems()], [{}, []])
  })

  test('damaged copies are not used, and deleted copies are made again', async (t) => {
    const { file, kept, listKept, untilSaved, log, open } = await openFolder(t, { list: lines(3), other: 'good' })
    const first = await open()
    await untilSaved()
    await rm(kept, { recursive: true })
    await untilSaved()
    assert.equal((await listKept()).length, 3)
    await first.close()
    for (const name of await readdir(kept)) {
      if ((await readFile(join(kept, name), 'utf8')) === lines(3)) await writeFile(join(kept, name), lines(2))
    }
    await rm(file('list'))
    await rm(file('other'))
    const second = await open()
    assert.deepEqual(second.values(), { other: 'good' })
    assert.equal(second.problems()[0], 'list: It has 0 of 3 entries. The last good state cannot be read.')
    assert.ok(log.lines.some(({ message }) => message.includes('is damaged')))
    await second.close()
    await writeFile(join(kept, 'state.json'), '{}')
    assert.deepEqual((await open()).values(), {})
  })

  test('a process that does not write uses the copies of another one', async (t) => {
    const { file, untilSaved, open } = await openFolder(t, { list: lines(3) })
    const writer = await open()
    await untilSaved()
    await rm(file('list'))
    const reader = await open({ isWriter: false })
    assert.deepEqual(reader.values(), { list: lines(3) })
    await until(() => writer.problems().length === 1)
    assert.deepEqual(reader.entryCounts(), [{ name: 'list', before: 3, now: 0, verdict: 'shrunk' }])
  })

  test('a loss is all entries, or more than half of at least ten, within a minute', async (t) => {
    const folder = await temporaryFolder(t)
    let now = 0
    const judge = async (...counts: number[]) => {
      const guard = new ShrinkGuard({ folder })
      for (const count of counts) {
        await guard.check(new Map([['group', count]]), now)
        now += 40_000
      }
      return guard.entryCounts.get('group')?.verdict
    }
    assert.equal(await judge(1, 0), 'shrunk')
    assert.equal(await judge(9, 1), 'lower')
    assert.equal(await judge(10, 5), 'lower')
    assert.equal(await judge(10, 4), 'shrunk')
    assert.equal(await judge(10, 6, 6, 6), 'good', 'after a minute the smaller number is the good one')
    assert.equal(await judge(10, 6, 6, 6, 4), 'lower')
    assert.equal(await judge(10, 6, 4), 'shrunk')
    assert.equal(await judge(10, 4, 10), 'good')
  })

  test('after the clock was ahead, a loss can be confirmed, but an old confirmation does not count', async (t) => {
    const folder = await temporaryFolder(t)
    const judge = async (at: number) => {
      const guard = new ShrinkGuard({ folder }, { group: { entries: 20, changedAt: Date.now() + 365 * DAY_MS } })
      await guard.check(new Map(), at)
      return guard.entryCounts.get('group')?.verdict
    }
    await acceptEntries(folder, { group: 0 })
    assert.equal(await judge(Date.now()), 'good')
    assert.equal(await judge(Date.now() + DAY_MS), 'shrunk')
  })

  test('a confirmation of a clock that was ahead does not confirm later losses', async (t) => {
    const folder = await temporaryFolder(t)
    const accepted = { group: { entries: 0, at: new Date(Date.now() + 365 * DAY_MS).toISOString() } }
    await writeFile(join(folder, '.accepted.json'), JSON.stringify(accepted))
    const guard = new ShrinkGuard({ folder }, { group: { entries: 20, changedAt: Date.now() - 1000 } })
    await guard.check(new Map(), Date.now())
    assert.equal(guard.entryCounts.get('group')?.verdict, 'shrunk')
  })

  test('after the clock was set back, a smaller number is the good one', async (t) => {
    const guard = new ShrinkGuard({ folder: await temporaryFolder(t) })
    for (const [count, at] of [
      [10, DAY_MS],
      [6, DAY_MS],
      [6, 0],
    ] as const)
      await guard.check(new Map([['group', count]]), at)
    assert.equal(guard.entryCounts.get('group')?.verdict, 'good')
  })
})
