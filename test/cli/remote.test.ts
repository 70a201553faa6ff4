// Commands act on a real service over loopback HTTP, from another folder.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { request as forward } from 'node:http'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { writeSettledFiles } from '../kit/content.ts'
import { digestOf } from '../kit/operator.ts'
import { tinyPng } from '../kit/pictures.ts'
import { startRemote } from '../kit/remote.ts'
import { forSuite } from '../kit/scope.ts'
import { startSource } from '../kit/source.ts'
import { until } from '../kit/until.ts'

describe('commands on a remote service', () => {
  // Otherwise the commands would wait.
  const open = forSuite((scope) => startRemote(scope, { RATE_LIMIT: 'off' }))

  test('what they publish, list and undo is the same as locally', async (t) => {
    const { app, laptop, local } = open()
    const downloads = await startSource(t, (_, reply) => void reply.end('download'))
    const setup = laptop.file('setup.exe')
    await writeFile(laptop.file('notes.md'), 'Starts *faster*.')
    await writeFile(laptop.file('hosts.txt'), 'bad.example\nworse.example\n')
    await writeFile(laptop.file('hello.md'), '---\ntitle: Hello\nid: hello\n---\nWorld')
    const calls = [
      ['release', 'publish', 'launcher', '1.0.0', setup, '--notes', laptop.file('notes.md'), '--dry-run'],
      ['release', 'publish', 'launcher', '1.0.0', setup, '--notes', laptop.file('notes.md')],
      ['release', 'publish', 'launcher', '0.9.0', setup],
      ['release', 'publish', 'launcher', '1.0.0', setup],
      ['release', 'rollout', 'launcher', '1.0.0', '10'],
      ['release', 'rollout', 'launcher', '9.0.0', '10'],
      ['release', 'ramp', 'launcher', '1.0.0', '20,100'],
      ['release', 'report-failures', 'launcher', '1.0.0', '1', '300'],
      ['release', 'minimum', 'launcher', '1.0.0'],
      ['release', 'notes', 'launcher', '1.0.0', laptop.file('notes.md')],
      ['release', 'withdraw', 'launcher', '1.0.0'],
      ['release', 'restore', 'launcher', '1.0.0'],
      ['release', 'publish', 'reshade', '6.0.0', '--url', downloads.url('/reshade-setup.exe')],
      ['resources', 'publish', '2.0.0', '--url', downloads.url('/resources.zip')],
      ['resources', 'publish', '3.0.0', '--file', setup],
      ['resources', 'remove', '2.0.0'],
      ['resources', 'remove', '2.0.0'],
      ['news', 'add', laptop.file('hello.md')],
      ['news', 'add', '--id', 'hello', '--lang', 'de', '--title', 'Hallo', '--text', 'Welt'],
      ['news', 'list'],
      ['news', 'edit', 'hello'],
      ['news', 'edit', 'hello', '--title', 'Hello, all'],
      ['news', 'edit', 'hello', '--lang', 'de', '--text', 'Ganze Welt'],
      ['news', 'show', 'hello'],
      ['news', 'show', 'hello', '--lang', 'de'],
      ['news', 'remove', 'hello', '--lang', 'de'],
      ['tier', 'set', '2', '--benefit', 'Cake'],
      ['tier', 'set', '2', '--benefit', 'Cake'],
      ['tier', 'show', '2'],
      ['history', 'undo', '1'],
      ['history', 'undo', '2', '--dry-run'],
      ['history', 'show', '99'],
      ['ban', 'add', '192.0.2.0/24', '--for', '12h'],
      ['ban', 'lift', '192.0.2.0/24'],
      ['content', 'add', 'cat', laptop.file('a.png'), '--author', 'Ann', '--dry-run'],
      ['content', 'add', 'cat', laptop.file('a.png'), laptop.file('none.png'), '--author', 'Ann', '--tag', 'hat'],
      ['content', 'add', 'cat', laptop.file('none.png')],
      ['content', 'add', 'cat', laptop.file('a.png')],
      ['content', 'add', 'cat', laptop.file('empty.png'), laptop.file('a.png')],
      ['content', 'list', 'cat'],
      ['content', 'remove', 'cat', 'none.png'],
      ['content', 'remove', 'cat'],
      ['content', 'remove', 'cat', '--all'],
      ['content', 'list', 'cat'],
      ['content', 'list', 'nonesuch'],
      ['content', 'add', 'cat', laptop.file('a.png'), '--keep-drawings'],
      ['content', 'add', 'otter', laptop.file('a.png'), '--keep-drawings'],
      ['list', 'put', 'string', 'fortune', laptop.file('notes.md')],
      ['list', 'show', 'string', 'fortune'],
      ['list', 'remove', 'string', 'fortune'],
      ['list', 'show', 'string', 'fortune'],
      ['blocklist', 'check', 'img.bad.example'],
      ['blocklist', 'update', laptop.file('hosts.txt')],
      ['blocklist', 'update', laptop.file('hosts.txt')],
      ['blocklist', 'check', 'img.bad.example'],
      ['blocklist', 'update', laptop.file('none.txt')],
      ['blocklist', 'update', laptop.file('setup.exe')],
      ['blocklist', 'update', laptop.file('empty.png')],
      ['blocklist', 'update', laptop.file('empty.png'), '--force'],
      ['content', 'accept'],
      ['downloads', '--csv'],
      ['clients', 'list'],
      ['clients', 'grant', 'nobody'],
    ]
    await writeSettledFiles(laptop.folder, { 'a.png': tinyPng(1), 'empty.png': '' })
    // Copied by hand: its name has no digest.
    for (const folder of [app.contentDir, local.contentDir])
      await writeSettledFiles(folder, { 'animals/cat/my-cat.png': tinyPng(2) })
    const notice = `Service: ${app.url}\n`
    // A slow machine shows progress.
    const withoutProgress = (text: string) => text.replace(/^[A-Z][\w ]+: .+ of .+\n/gm, '')
    const withoutTimes = (text: string) => text.replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d\.\d{3}Z)?/g, 'TIME')
    const listUploads = async () => {
      const names = await readdir(join(app.dataDir, 'uploads')).catch(() => [])
      return names.filter((name) => name !== 'owners.json')
    }
    for (const words of calls) {
      if (words.includes('--dry-run')) assert.deepEqual(await listUploads(), [])
      const [there, here] = [await laptop.run(...words), await local.run(...words)]
      assert.ok(there.stderr.startsWith(notice), words.join(' '))
      assert.deepEqual(
        [there.code, withoutTimes(there.stdout), withoutProgress(there.stderr.slice(notice.length))],
        [here.code, withoutTimes(here.stdout), withoutProgress(here.stderr)],
        words.join(' '),
      )
    }
    for (const words of [
      ['release', 'list'],
      ['resources', 'list'],
      ['news', 'list'],
      ['tier', 'show'],
      ['ban', 'list'],
    ]) {
      const [there, here] = [await laptop.json(...words), await local.json(...words)]
      const clean = (value: object) => withoutTimes(JSON.stringify(value))
      assert.equal(clean(there), clean(here), words.join(' '))
    }
    // The service reads new pictures within two seconds.
    for (const name of ['list', 'check']) {
      const { stdout } = await local.run('content', name)
      await until(async () => (await laptop.run('content', name)).stdout === stdout)
    }
    // The service also knows lists that it read before they were removed.
    assert.match(
      (await laptop.run('content', 'accept', 'nothing')).stderr,
      /There is no "nothing"\. Known names: animals\/cat/,
    )
    // The bundle has all parts.
    const { history } = await laptop.program.json('history', 'list')
    await laptop.program.json('release', 'withdraw', 'launcher', '1.0.0', '--dry-run')
    assert.equal(history[0].by, 'a test')
    assert.equal(await readFile(join(app.appDir, 'files', 'launcher-1.0.0.exe'), 'utf8'), 'hello')
    await laptop.json('history', 'undo', String(history[0].id))
  })
})

test('many pictures are added within the rate limit of the service', async (t) => {
  const { app, laptop } = await startRemote(t, { RATE_LIMIT: '20/1' })
  const names = Array.from({ length: 20 }, (_, index) => `${index}.png`)
  await writeSettledFiles(
    laptop.file('pictures'),
    Object.fromEntries(names.map((name, index) => [name, tinyPng(index)])),
  )
  const listFiles = () => readdir(join(app.contentDir, 'animals', 'capybara')).catch(() => [])
  const add = async () => {
    const { results } = await laptop.json('content', 'add', 'capybara', laptop.file('pictures'), '--author', 'Ann')
    assert.equal(results.filter(({ outcome }: { outcome: string }) => outcome === 'added').length, 20)
    assert.equal((await listFiles()).length, 21)
  }
  await add()
  await laptop.json('history', 'undo', '1')
  assert.deepEqual(await listFiles(), [])
  assert.match((await laptop.run('history', 'show', '1')).stdout, /^\+animals\/capybara\/0-[0-9a-f]{12}\.png/m)
  await add()
})

test('an upload continues after a broken connection, however many break', async (t) => {
  const { app, laptop } = await startRemote(t)
  const bytes = randomBytes(9 * 1024 * 1024)
  await writeFile(laptop.file('large.exe'), bytes)
  const { port } = new URL(app.url)
  const starts: string[] = []
  const proxy = await startSource(t, (request, reply) => {
    const range = request.headers['content-range']
    if (range) starts.push(range)
    const forwarded = forward({ port, path: request.url, method: request.method, headers: request.headers })
    forwarded.on('response', (answer) => {
      reply.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(reply)
    })
    forwarded.on('error', () => reply.destroy())
    // The second part breaks after each half of a megabyte.
    if (starts.length < 2 || starts.length > 8 || !range) return void request.pipe(forwarded)
    let sent = 0
    request.on('data', (chunk: Buffer) => {
      forwarded.write(chunk)
      sent += chunk.length
      if (sent > 512 * 1024) {
        request.removeAllListeners('data')
        forwarded.end()
        forwarded.destroy()
        request.destroy()
      }
    })
  })
  const words = ['release', 'publish', 'launcher', '5.0.0', laptop.file('large.exe'), '--json']
  const result = await laptop.runWith({ MENAGERIE_SERVER: proxy.url('') }, words)
  assert.equal(result.code, 0, result.stderr)
  assert.equal(JSON.parse(result.stdout).assets[0].sha256, digestOf(bytes))
  assert.deepEqual(await readFile(join(app.appDir, 'files', 'launcher-5.0.0.exe')), bytes)
  assert.equal(starts[1], 'bytes 4194304-8388607/9437184')
  // What arrived before is not sent again.
  assert.match(starts[2]!, /^bytes (?!0-)\d{7}-/)
})
