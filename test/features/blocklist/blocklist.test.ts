import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Blocklist, blocklistCandidates } from '../../../src/features/blocklist/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { until } from '../../kit/until.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} } as never

async function openList(t: TestContext, text: string | undefined) {
  const folder = await temporaryFolder(t)
  const [update, content] = blocklistCandidates(join(folder, 'data'), join(folder, 'content'))
  assert.ok(update && content)
  await mkdir(join(folder, 'content'))
  if (text !== undefined) await writeFile(content.file, text)
  const list = await Blocklist.open({ candidates: [update, content], log: quiet })
  t.after(() => list.close())
  return { list, folder, update: update.file, content: content.file }
}

test('a listed domain blocks itself and its subdomains, not its siblings or parents', async (t) => {
  const { list } = await openList(t, '# comment\nbad.example # why\r\nTracker.Example.ORG\n\nmünchen.example\n')
  for (const host of [
    'bad.example',
    'a.b.bad.example',
    'BAD.example.',
    'tracker.example.org',
    'xn--mnchen-3ya.example',
    'münchen.example',
  ]) {
    assert.equal(list.blocks(host), true, host)
  }
  for (const host of ['notbad.example', 'example', 'example.org', 'bad.example.net', '', '127.0.0.1', '[::1]']) {
    assert.equal(list.blocks(host), false, host)
  }
})

test('a change of the list is in force within two seconds', async (t) => {
  const { list, content } = await openList(t, 'one.example\n')
  const before = list.facts()?.sha256
  writeFileSync(content, 'two.example\nthree.example\n')
  await until(() => list.blocks('two.example'), 2000)
  assert.equal(list.blocks('one.example'), false)
  assert.notEqual(list.facts()?.sha256, before)
  assert.equal(list.facts()?.entries, 2)
})

test('a list that the operator fetched goes first, and without it the other is back', async (t) => {
  const { list, update } = await openList(t, 'one.example\n')
  await mkdir(join(update, '..'), { recursive: true })
  await writeFile(update, 'two.example\n')
  await until(() => list.blocks('two.example') && !list.blocks('one.example'), 2000)
  assert.equal(list.facts()?.source, 'update')
  await rm(update)
  await until(() => list.blocks('one.example'), 2000)
})

test('without a list nothing is blocked and nothing is told', async (t) => {
  const { list } = await openList(t, undefined)
  assert.equal(list.blocks('bad.example'), false)
  assert.equal(list.facts(), undefined)
})
