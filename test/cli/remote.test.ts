import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { commandLine } from '../kit/command-line.ts'
import { startPublisher } from '../kit/operator.ts'
import { forSuite, type Scope } from '../kit/scope.ts'

/** A service, and a command line in another folder with a token for it. */
async function startRemote(scope: Scope) {
  const app = await startPublisher(scope)
  const tokenWith = async (...scopes: ('read' | 'write' | 'publish')[]) =>
    (await app.authorize(scopes)).Authorization!.slice('Bearer '.length)
  const token = await tokenWith('read', 'write', 'publish')
  const local = await commandLine(scope)
  const laptop = await commandLine(scope, {
    CONTENT_DIR: join(local.folder, 'none'),
    MENAGERIE_SERVER: app.url,
    MENAGERIE_TOKEN: token,
  })
  await writeFile(laptop.file('setup.exe'), 'hello')
  return { app, laptop, local, token, tokenWith }
}

describe('commands on a remote service', () => {
  const open = forSuite(startRemote)

  test('what they publish, list and undo is the same as locally', async () => {
    const { app, laptop, local } = open()
    const setup = laptop.file('setup.exe')
    await writeFile(laptop.file('notes.md'), 'Starts *faster*.')
    await writeFile(laptop.file('hello.md'), '---\ntitle: Hello\nid: hello\n---\nWorld')
    const calls = [
      ['release', 'publish', 'launcher', '1.0.0', setup, '--notes', laptop.file('notes.md'), '--dry-run'],
      ['release', 'publish', 'launcher', '1.0.0', setup, '--notes', laptop.file('notes.md')],
      ['release', 'publish', 'launcher', '0.9.0', setup],
      ['release', 'rollout', 'launcher', '1.0.0', '10'],
      ['release', 'rollout', 'launcher', '9.0.0', '10'],
      ['release', 'ramp', 'launcher', '1.0.0', '20,100'],
      ['release', 'pause', 'launcher', '1.0.0'],
      ['release', 'resume', 'launcher', '1.0.0'],
      ['release', 'report-failures', 'launcher', '1.0.0', '1', '300'],
      ['release', 'minimum', 'launcher', '1.0.0', '0.9'],
      ['release', 'minimum', 'launcher', '1.0.0'],
      ['release', 'notes', 'launcher', '1.0.0', laptop.file('notes.md')],
      ['release', 'withdraw', 'launcher', '1.0.0'],
      ['release', 'restore', 'launcher', '1.0.0'],
      ['resources', 'publish', '3.0.0', '--file', setup],
      ['resources', 'withdraw', '3.0.0'],
      ['resources', 'restore', '3.0.0'],
      ['resources', 'list'],
      ['news', 'add', laptop.file('hello.md')],
      ['news', 'add', '--id', 'hello', '--lang', 'de', '--title', 'Hallo', '--text', 'Welt'],
      ['news', 'list'],
      ['news', 'remove', 'hello', '--lang', 'de'],
      ['tier', 'set', '2', '--benefit', 'Cake'],
      ['tier', 'set', '2', '--benefit', 'Cake'],
      ['tier', 'show', '2'],
      ['history', 'undo', '1'],
      ['history', 'undo', '2', '--dry-run'],
      ['history', 'show', '99'],
      ['ban', 'add', '192.0.2.0/24', '--for', '12h'],
      ['ban', 'lift', '192.0.2.0/24'],
      ['clients', 'list'],
      ['clients', 'grant', 'nobody'],
    ]
    const notice = `Service: ${app.url}\n`
    const withoutTimes = (text: string) => text.replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d\.\d{3}Z)?/g, 'TIME')
    for (const words of calls) {
      const [there, here] = [await laptop.run(...words), await local.run(...words)]
      assert.ok(there.stderr.startsWith(notice), words.join(' '))
      assert.deepEqual(
        [there.code, withoutTimes(there.stdout), there.stderr.slice(notice.length)],
        [here.code, withoutTimes(here.stdout), here.stderr],
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
    const { history } = await laptop.json('history', 'list')
    assert.equal(history[0].by, 'a test')
    assert.equal(await readFile(join(app.appDir, 'files', 'launcher-1.0.0.exe'), 'utf8'), 'hello')
    await laptop.json('history', 'undo', String(history[0].id))
  })
})
