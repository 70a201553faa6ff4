import assert from 'node:assert/strict'
import { mkdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createGeneratedFiles } from '../../../src/features/developer/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'

describe('generated files', () => {
  const service = forSuite((scope) => startTestService(scope))
  const put = async (path: string, bytes: string | Buffer) => {
    const file = join(service().dataDir, 'generated', path)
    await mkdir(join(file, '..'), { recursive: true })
    await writeFile(file, bytes)
  }
  const fetchFile = (path: string) => service().fetchJson(`/api/v1/static/generated/${path}`)

  it('can be in folders, which list their content', async () => {
    await put('deep/er/a.json', '{"a":1}')
    const folder = await fetchFile('deep')
    assert.deepEqual(folder.body.files, [
      { ...folder.body.files[0], name: 'er', path: 'deep/er', isDir: true, size: 0, sha256: null },
    ])
    assert.deepEqual((await fetchFile('deep/er/a.json')).body.content, { a: 1 })
  })

  it('are returned as utf8 text, base64, or parsed JSON', async () => {
    await put('a.txt', 'grüße')
    await put('b.bin', Buffer.from([0xff, 0x00, 0x80]))
    await put('c.json', '{"half":')
    assert.deepEqual(
      [(await fetchFile('a.txt')).body.encoding, (await fetchFile('a.txt')).body.content],
      ['utf8', 'grüße'],
    )
    const { encoding, content } = (await fetchFile('b.bin')).body
    assert.deepEqual([encoding, content], ['base64', '/wCA'])
    assert.deepEqual(
      [(await fetchFile('c.json')).body.encoding, (await fetchFile('c.json')).body.content],
      ['utf8', '{"half":'],
    )
  })

  it('with unusual names are served under the path that the listing contains', async () => {
    for (const name of ['a b.json', `it's "x".json`, '100%.json', '🐈.json', 'new\nline.json']) {
      await put(`odd/${name}`, '1')
    }
    const { body } = await fetchFile('odd')
    assert.equal(body.files.length, 5)
    for (const { path } of body.files) {
      const { status, body: file } = await fetchFile(path.split('/').map(encodeURIComponent).join('/'))
      assert.equal(status, 200, path)
      assert.equal(file.path, path)
    }
  })

  it('that are too large are neither listed nor served', async () => {
    await put('huge.bin', Buffer.alloc(17 * 1024 * 1024))
    assert.equal((await fetchFile('huge.bin')).status, 404)
    assert.doesNotMatch(JSON.stringify((await service().fetchJson('/api/v1/static/generated')).body), /huge/)
  })

  it('that are removed while they are read cause 404, never 500', async () => {
    const statuses = new Set<number>()
    for (let i = 0; i < 60; i++) {
      await put('gone.json', '{"a":1}')
      const [{ status }] = await Promise.all([
        fetchFile('gone.json'),
        rm(join(service().dataDir, 'generated', 'gone.json')),
      ])
      statuses.add(status)
    }
    for (const status of statuses) assert.ok([200, 404].includes(status), String(status))
  })

  it('that grow while they are read have a matching size', async () => {
    await put('grow.txt', 'x'.repeat(100_000))
    const growing = (async () => {
      for (let i = 0; i < 50; i++)
        await writeFile(join(service().dataDir, 'generated', 'grow.txt'), 'y'.repeat(1000), { flag: 'a' })
    })()
    for (let i = 0; i < 10; i++) {
      const { body } = await fetchFile('grow.txt')
      assert.equal(body.content.length, body.size)
    }
    await growing
  })
})

it('a generated file is written only when its content changes', async (t) => {
  const dir = await temporaryFolder(t)
  const files = createGeneratedFiles(dir)
  await files.put('a/b.json', { x: 1 })
  const old = new Date('2020-01-01')
  await utimes(join(dir, 'a', 'b.json'), old, old)
  await files.put('a/b.json', { x: 1 })
  assert.equal((await stat(join(dir, 'a', 'b.json'))).mtimeMs, old.getTime())
  await files.put('a/b.json', { x: 2 })
  assert.notEqual((await stat(join(dir, 'a', 'b.json'))).mtimeMs, old.getTime())
  await assert.rejects(files.put('../c.json', 1), /not the name/)
})

it('a generated file that cannot be written is a problem until it is written', async (t) => {
  const dir = join(await temporaryFolder(t), 'generated')
  const files = createGeneratedFiles(dir)
  await writeFile(dir, 'in the way')
  await assert.rejects(files.put('a.json', 1))
  assert.match(files.problem() ?? '', /^files in DATA_DIR\/generated cannot be written \(E\w+\): a\.json$/)
  await rm(dir)
  await files.put('a.json', 1)
  assert.deepEqual([files.problem(), files.hasFailed()], [undefined, false])
})
