import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandLine } from '../kit/command-line.ts'

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
  assert.match(await refusal('blocklist', 'check', 'a b'), /^"a b" is no host name/)
})
