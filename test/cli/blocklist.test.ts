import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { silentLog } from '../../src/cli/with-services.ts'
import { blocklistSources, openBlocklist } from '../../src/features/blocklist/index.ts'
import { lastGoodFoldersIn } from '../../src/platform/files/index.ts'
import { commandLine } from '../kit/command-line.ts'
import { startPictureSource } from '../kit/picture-source.ts'

test('"blocklist status" shows the list, and "blocklist check" whether a host is on it', async (t) => {
  const { contentDir, json, run, fail } = await commandLine(t)
  assert.equal((await json('blocklist', 'status')).list, null)
  assert.match(
    (await run('blocklist', 'check', 'a.example')).stdout,
    /^a\.example is not blocked\. There is no blocklist\.\n$/,
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
  assert.match((await run('blocklist', 'status')).stdout, /^list\t\S+content\/blocklist\.txt\n/)
  assert.match(await fail('blocklist', 'check', 'a b'), /^"a b" is not a host name/)
})

test('a downloaded list and the list of the content folder are both used and shown', async (t) => {
  const { folder, contentDir, json, run, fail } = await commandLine(t)
  const file = join(folder, 'hosts.txt')
  await writeFile(join(contentDir, 'blocklist.txt'), 'own.example\nalso-own.example\n')
  await writeFile(file, 'one.example\n')
  assert.match((await run('blocklist', 'update', file)).stdout, /^Updated the list: 1 entry\.\n/)
  const { lists } = await json('blocklist', 'status')
  assert.deepEqual(
    lists.map(({ entries }: { entries: number }) => entries),
    [1, 2],
  )
  const { stdout } = await run('blocklist', 'status')
  assert.match(
    stdout,
    /^list\t\S+cache\/blocklist\.txt\nfrom\t\S+hosts\.txt\n[\s\S]*\n\nlist\t\S+content\/blocklist\.txt\n/,
  )
  for (const host of ['own.example', 'one.example']) {
    assert.equal((await json('blocklist', 'check', host)).blocked, true, host)
  }
  await writeFile(file, '<p>\n')
  assert.match(await fail('blocklist', 'update', file), /its only line names no host/)
})

test('a list that disappeared is reported together with the last good one, which stays in use', async (t) => {
  const { contentDir, dataDir, run } = await commandLine(t)
  const file = join(contentDir, 'blocklist.txt')
  await writeFile(file, 'bad.example\n')
  const sources = blocklistSources(dataDir, contentDir, lastGoodFoldersIn(dataDir, { isWriter: true, log: silentLog }))
  await (await openBlocklist({ sources, log: silentLog })).close()
  await rm(file)
  const checked = await run('blocklist', 'check', 'bad.example')
  assert.match(
    checked.stdout,
    /^bad\.example is blocked: it is on the list\.\nThe blocklist has shrunk\. .* accept"\.\n$/,
  )
  const status = await run('blocklist', 'status')
  assert.match(status.stdout, /\nentries\t1\n[\s\S]*\nThe blocklist has shrunk\. .* accept"\.\n$/)
  assert.deepEqual([checked.code, status.code], [1, 1])
})

test('a list is read from a file or a URL, and a list that shrank is only accepted with --force', async (t) => {
  const { folder, json, run, fail } = await commandLine(t)
  const file = join(folder, 'list.txt')
  await writeFile(file, Array.from({ length: 10 }, (_, i) => `bad-${i}.example\n`).join(''))
  const first = await json('blocklist', 'update', file)
  assert.deepEqual([first.changed, first.entries], [true, 10])
  assert.equal((await json('blocklist', 'check', 'x.bad-3.example')).blocked, true)
  await writeFile(file, 'bad-1.example\n')
  assert.match(await fail('blocklist', 'update', file), /--force/)
  assert.equal((await json('blocklist', 'check', 'bad-3.example')).blocked, true)
  assert.equal((await json('blocklist', 'update', file, '--force')).entries, 1)
  assert.match(await fail('blocklist', 'update', join(folder, 'none.txt')), /none\.txt|read/)
  const source = await startPictureSource(t)
  const url = source.put('/hosts', { type: 'text/plain', body: '0.0.0.0 a.example\n0.0.0.0 b.example\n' })
  assert.equal((await json('blocklist', 'update', url)).entries, 2)
  assert.match((await run('blocklist', 'status')).stdout, new RegExp(`\\nfrom\t${RegExp.escape(url)}\\n`))
  assert.equal((await json('blocklist', 'update', url.replace('http:', 'HTTP:'))).entries, 2)
})
