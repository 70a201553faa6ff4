import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandLine } from '../kit/command-line.ts'
import { startPictureSource } from '../kit/picture-source.ts'

test('the blocking list is told, and whether it refuses a host', async (t) => {
  const { contentDir, json, run, refusal } = await commandLine(t)
  assert.equal((await json('blocklist', 'status')).list, null)
  assert.match(
    (await run('blocklist', 'check', 'a.example')).stdout,
    /^a\.example is not blocked\. There is no blocking list\.\n$/,
  )
  await writeFile(join(contentDir, 'blocklist.txt'), 'bad.example\nbücher.example\n')
  const { list } = await json('blocklist', 'status')
  assert.deepEqual([list.entries, list.source], [2, 'content'])
  const hosts = ['bad.example', 'https://img.Bad.example/a.png', 'bücher.example', 'good.example']
  const checked = await Promise.all(hosts.map((host) => json('blocklist', 'check', host)))
  assert.deepEqual(
    checked.map(({ blocked }) => blocked),
    [true, true, true, false],
  )
  assert.equal(checked[1]?.entry, 'bad.example')
  assert.match(
    (await run('blocklist', 'check', 'img.bad.example')).stdout,
    /^img\.bad\.example is blocked: bad\.example is /,
  )
  assert.match((await run('blocklist', 'status')).stdout, /^list +\S+content\/blocklist\.txt\n/)
  assert.match(await refusal('blocklist', 'check', 'a b'), /^"a b" is no host name/)
})

test('the first list of an operator, too, is held against the list in force', async (t) => {
  const { folder, contentDir, json, run, refusal } = await commandLine(t)
  const file = join(folder, 'hosts.txt')
  await writeFile(
    join(contentDir, 'blocklist.txt'),
    Array.from({ length: 62 }, (_, i) => `bad-${i}.example\n`).join(''),
  )
  await writeFile(file, 'one.example\n')
  assert.equal(
    await refusal('blocklist', 'update', file),
    'The list was not taken: the new list has 1 entry, less than half of the previous 62; use --force to take it anyway.',
  )
  assert.equal((await json('blocklist', 'status')).list.entries, 62)
  assert.match((await run('blocklist', 'update', file, '--force')).stdout, /^In force now: 1 entry\.\n/)
  const { stdout } = await run('blocklist', 'status')
  assert.match(stdout, /^list +\S+cache\/blocklist\.txt\nfrom +\S+hosts\.txt\n/)
  await writeFile(file, '<p>\n')
  assert.match(await refusal('blocklist', 'update', file), /its only line names no host/)
})

test('a list is taken from a file or a URL, and one that shrank only by force', async (t) => {
  const { folder, json, refusal } = await commandLine(t)
  const file = join(folder, 'list.txt')
  await writeFile(file, Array.from({ length: 10 }, (_, i) => `bad-${i}.example\n`).join(''))
  const first = await json('blocklist', 'update', file)
  assert.deepEqual([first.changed, first.entries], [true, 10])
  assert.equal((await json('blocklist', 'check', 'x.bad-3.example')).blocked, true)
  await writeFile(file, 'bad-1.example\n')
  assert.match(await refusal('blocklist', 'update', file), /--force/)
  assert.equal((await json('blocklist', 'check', 'bad-3.example')).blocked, true)
  assert.equal((await json('blocklist', 'update', file, '--force')).entries, 1)
  assert.match(await refusal('blocklist', 'update', join(folder, 'none.txt')), /none\.txt|read/)
  const source = await startPictureSource(t)
  const url = source.put('/hosts', { type: 'text/plain', body: '0.0.0.0 a.example\n0.0.0.0 b.example\n' })
  assert.equal((await json('blocklist', 'update', url)).entries, 2)
})
