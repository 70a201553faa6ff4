import assert from 'node:assert/strict'
import { appendFile, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { digestOf, startPublisher } from '../../../kit/operator.ts'
import { news, record, releasesYaml } from '../../../kit/releases.ts'
import { forSuite } from '../../../kit/scope.ts'

describe('the history', () => {
  const before = `# Ours\n${releasesYaml({ launcher: [record('1.0.0')] })}`
  const operator = forSuite((scope) => startPublisher(scope, { 'releases.yaml': before, 'news/a.md': news('A') }))
  const readApp = (name: string) => readFile(join(operator().appDir, name), 'utf8').catch(() => null)
  const undo = (id: number, query = '') => operator().send('POST', `/history/${id}/undo${query}`)
  const list = async () => (await operator().send('GET', '/history')).body.history

  test('lists who changed what, shows the lines, and undoes', async () => {
    const { body } = await operator().send('POST', '/releases/launcher/1.0.0/withdraw')
    const [entry] = await list()
    assert.deepEqual(
      [entry.id, entry.by, entry.change, entry.subject, entry.files],
      [body.history, 'a test', 'release withdraw', 'launcher 1.0.0', ['app/releases.yaml']],
    )
    const { change } = (await operator().send('GET', `/history/${entry.id}`)).body
    assert.match(change.files[0].added.join('\n'), /withdrawn: true/)

    const dry = await undo(entry.id, '?dryRun=true')
    assert.deepEqual([dry.status, dry.body.changed, (await list()).length], [200, true, 1])
    const undone = await undo(entry.id)
    assert.deepEqual([undone.status, await readApp('releases.yaml')], [200, before])
    const [newest] = await list()
    assert.deepEqual([newest.change, newest.undoes], ['history undo', entry.id])
    const twice = await undo(entry.id)
    assert.deepEqual([twice.status, twice.body.code], [409, 'CHANGED_SINCE'])
    assert.match(twice.body.message, /already undone by change \d+\.$/)
    assert.equal((await undo(newest.id)).status, 200)
    assert.match((await readApp('releases.yaml')) ?? '', /withdrawn: true/)
  })

  test('refuses to undo what was changed since, by whatever means', async () => {
    const { body } = await operator().send('PUT', '/news/a', { title: 'B', markdown: 'B' })
    const text = await readApp('news/a.md')
    await appendFile(join(operator().appDir, 'news/a.md'), 'Edited by hand.\n')
    const { status, body: refusal } = await undo(body.history)
    assert.deepEqual([status, refusal.code], [409, 'CHANGED_SINCE'])
    await writeFile(join(operator().appDir, 'news/a.md'), text ?? '')
    assert.equal((await undo(body.history)).status, 200)
    assert.equal(await readApp('news/a.md'), news('A'))
  })

  test('undoes a change only of the file that the client has seen', async () => {
    const { body } = await operator().send('PUT', '/news/a', { title: 'C', markdown: 'C' })
    const seen = (await operator().send('GET', '/news/a')).headers.get('etag') ?? ''
    const undoIf = (version: string) =>
      operator().send('POST', `/history/${body.history}/undo`, undefined, { 'if-match': version })
    const refused = await undoIf('"another"')
    assert.deepEqual([refused.status, refused.body.code], [412, 'PRECONDITION_FAILED'])
    assert.equal((await undoIf(seen)).status, 200)
    assert.equal(await readApp('news/a.md'), news('A'))
  })

  test('undoes and repeats a release with its file, also after another one was published meanwhile', async () => {
    const publish = async (bytes: string) => {
      await operator().upload(bytes)
      const body = { assets: [{ upload: digestOf(bytes), name: 'setup.exe' }] }
      return (await operator().send('PUT', '/releases/reshade/1.0', body)).body.history
    }
    const download = async () => {
      const reply = await operator().fetch('/download/reshade')
      return reply.status === 200 ? reply.text() : reply.status
    }
    const first = (await undo(await publish('setup'))).body.history
    assert.equal(await download(), 404)
    const other = await publish('other')
    assert.equal(await download(), 'other')
    assert.equal((await undo(other)).status, 200)
    assert.equal((await undo(first)).status, 200)
    assert.equal(await download(), 'setup')
  })

  test('restores removed news with their translations, and leaves no translation without its item', async () => {
    const { body: added } = await operator().send('PUT', '/news/item', { title: 'Item', markdown: 'x' })
    await operator().send('PUT', '/news/item/translations/de', { title: 'Ding', markdown: 'x' })
    const refused = await undo(added.history)
    assert.deepEqual([refused.status, refused.body.code], [409, 'CHANGE_REFUSED'])
    assert.match(refused.body.message, /news\/item\.de\.md would be a translation without its news item/)
    const { body: removed } = await operator().send('DELETE', '/news/item')
    assert.equal(await readApp('news/item.de.md'), null)
    assert.equal((await undo(removed.history)).status, 200)
    assert.match((await readApp('news/item.de.md')) ?? '', /title: Ding/)
  })

  test('is listed without reading the lines of all changes each time', async () => {
    const file = join(operator().dataDir, 'history', `${(await list())[0].id}.json`)
    const text = await readFile(file, 'utf8')
    await utimes(file, 1, 1)
    const before = await list()
    // Reading it again would show that it is damaged.
    await writeFile(file, 'x')
    await utimes(file, 1, 1)
    assert.deepEqual(await list(), before)
    await writeFile(file, text)
    assert.deepEqual(await list(), before)
  })

  test('has no other entries', async () => {
    for (const id of ['0', '999', '-1', '1.5', 'x', '..%2f1', '9'.repeat(30)]) {
      const { status, body } = await operator().send('GET', `/history/${id}`)
      assert.deepEqual([status, body.code], [404, 'UNKNOWN_CHANGE'], id)
      assert.equal((await operator().send('POST', `/history/${id}/undo`)).status, 404)
    }
    const reader = await operator().authorize(['read', 'write'])
    assert.equal((await operator().send('POST', '/history/1/undo', undefined, reader)).body.scope, 'publish')
  })
})
