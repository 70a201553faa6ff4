import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { chown, lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { commandLine } from '../kit/command-line.ts'
import { tinyPng } from '../kit/pictures.ts'
import { forSuite } from '../kit/scope.ts'

describe('the history', () => {
  const cli = forSuite(async (scope) => {
    const cli = await commandLine(scope)
    await writeFile(join(cli.folder, 'setup.exe'), 'hello')
    return cli
  })
  const readYaml = () => readFile(join(cli().contentDir, 'app', 'releases.yaml'), 'utf8')

  test('commands are listed, shown and undone', async () => {
    const { json, run, file } = cli()
    assert.match((await run('history', 'list')).stderr, /Nothing was changed yet/)
    const { history: first } = await json('release', 'publish', 'launcher', '1.0.0', file('setup.exe'))
    const before = await readYaml()
    const dry = await json('release', 'rollout', 'launcher', '1.0.0', '10', '--dry-run')
    assert.equal(dry.history, undefined)
    const { history: second } = await json('release', 'rollout', 'launcher', '1.0.0', '10')
    assert.deepEqual([first, second], [1, 2])

    const same = await run('release', 'rollout', 'launcher', '1.0.0', '10')
    assert.equal(same.stdout, 'Nothing was changed: this is already published.\n')
    const { history } = await json('history', 'list')
    assert.deepEqual(
      history.map(({ id, by, change, subject }: Record<string, unknown>) => [id, by, change, subject]),
      [
        [2, 'command', 'release rollout', 'launcher 1.0.0'],
        [1, 'command', 'release publish', 'launcher 1.0.0'],
      ],
    )
    assert.match((await run('history', 'show', '2')).stdout, /app\/releases\.yaml, line \d+:\n\+ {4}rollout: 10$/m)
    const early = await run('history', 'undo', '1')
    assert.match(
      early.stderr,
      /A file of this change was changed since by 2 \(release rollout launcher 1\.0\.0\)\. Undo these first/,
    )
    const undone = await run('history', 'undo', '2')
    assert.equal(undone.stdout, 'Undid "release rollout launcher 1.0.0".\n')
    assert.equal(await readYaml(), before)
    assert.equal((await run('history', 'undo', '1')).code, 0)
    assert.equal((await json('release', 'list')).releases.length, 0)
    assert.match((await run('history', 'undo', '2')).stderr, /It was already undone by change 3\./)
    assert.equal((await run('history', 'undo', '4')).code, 0)
    assert.equal(await readYaml(), before)
    // Change 1 is in effect again, because its undo was undone.
    assert.deepEqual(
      (await json('history', 'list')).history.map(({ undoneBy }: { undoneBy?: number }) => undoneBy),
      [undefined, 5, undefined, 3, undefined],
    )
    assert.match((await run('history', 'list')).stdout, /^2\t.*\trelease rollout\tlauncher 1\.0\.0\t1\tundone by 3$/m)
  })

  test('pictures of a change are shown, and the folder of a kind that is undone is removed', async () => {
    const { json, run, file, contentDir } = cli()
    await writeFile(file('a.png'), tinyPng(1))
    await json('content', 'add', 'otter', file('a.png'), '--author', 'Ann')
    const [{ id, files }] = (await json('history', 'list')).history
    assert.equal(files.length, 2)
    const { stdout } = await run('history', 'show', String(id))
    assert.match(stdout, /^\+animals\/otter\/a-[0-9a-f]{12}\.png \(\d+ bytes\)$/m)
    await json('history', 'undo', String(id))
    assert.deepEqual(await readdir(join(contentDir, 'animals')), [])
  })

  test('a new list is shown with its lines only', async () => {
    const { json, run, file } = cli()
    await writeFile(file('fortunes.txt'), 'Yes\nNo\n')
    const { history: id } = await json('list', 'put', 'string', 'fortune', file('fortunes.txt'))
    const { stdout } = await run('history', 'show', String(id))
    assert.match(stdout, /string\/fortune\.txt, line 1:\n\+Yes\n\+No\n$/)
  })

  test('wrong ids are refused', async () => {
    const { run } = cli()
    assert.equal((await run('history', 'undo', 'x')).code, 2)
    const missing = await run('history', 'show', '99')
    assert.deepEqual([missing.code, /no change 99/.test(missing.stderr)], [1, true])
  })

  test('notes and the minimum of a release are changed', async () => {
    const { json, folder, file } = cli()
    await writeFile(join(folder, 'notes.md'), 'New')
    await writeFile(join(folder, 'notes.de.md'), 'Neu')
    await json('release', 'notes', 'launcher', '1.0.0', file('notes.md'), file('notes.de.md'))
    await json('release', 'minimum', 'launcher', '1.0.0', '0.9')
    const [release] = (await json('release', 'list')).releases
    assert.deepEqual([release.notesByLanguage, release.minimum], [{ en: 'New', de: 'Neu' }, '0.9'])
    await json('release', 'minimum', 'launcher', '1.0.0')
    assert.equal((await json('release', 'list')).releases[0].minimum, undefined)
  })
})

test('what root publishes can be changed by the user of the service', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root can give files to another user')
  const user = 65_534
  const { contentDir, dataDir, folder, file, json } = await commandLine(t)
  for (const dir of [contentDir, dataDir]) {
    await mkdir(dir, { recursive: true })
    await chown(dir, user, user)
  }
  await writeFile(file('setup.exe'), 'hello')
  await writeFile(file('a.png'), tinyPng(1))
  await json('release', 'publish', 'launcher', '1.0.0', file('setup.exe'))
  await json('content', 'add', 'cat', file('a.png'))
  await json('news', 'add', '--title', 'First', '--text', 'Text')
  await json('release', 'rollout', 'launcher', '1.0.0', '10')
  await json('history', 'undo', '4')
  const written = [contentDir, dataDir].flatMap((dir) => globSync(`${dir}/**`).concat(globSync(`${dir}/**/.*`)))
  assert.ok(written.some((path) => path.includes('/history/')) && written.some((path) => path.endsWith('.png')))
  for (const path of written) assert.equal((await lstat(path)).uid, user, path.replace(folder, ''))
})
