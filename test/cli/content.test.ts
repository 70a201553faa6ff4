import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { commandLine } from '../kit/command-line.ts'
import { writeSettledFiles } from '../kit/content.ts'
import { createNoisyImage, tinyPng } from '../kit/pictures.ts'
import { forSuite } from '../kit/scope.ts'
import { startSource } from '../kit/source.ts'

describe('content', () => {
  const cli = forSuite(commandLine)

  test('pictures are added once, with credits, upright and without metadata', async () => {
    const { folder, contentDir, program, run } = cli()
    const photo = await sharp(await createNoisyImage('jpeg', 60, 40))
      .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    await writeSettledFiles(folder, { 'in/photo.jpg': photo, 'in/one.png': tinyPng(1), 'in/copy.png': tinyPng(1) })
    const { results } = await program.json('content', 'add', 'cat', 'in', '--author', 'Ann', '--license', 'CC0-1.0')
    assert.deepEqual(
      results.map(({ source, outcome }: { source: string; outcome: string }) => [source, outcome]),
      [
        ['in/copy.png', 'added'],
        ['in/one.png', 'skipped'],
        ['in/photo.jpg', 'added'],
      ],
    )
    const bytes = await readFile(join(contentDir, 'animals/cat', results[2].file))
    const { width, height, exif } = await sharp(bytes).metadata()
    assert.deepEqual([width, height, exif], [40, 60, undefined])
    assert.match(
      await readFile(join(contentDir, 'animals/cat/credits.yaml'), 'utf8'),
      /author: Ann\n +license: CC0-1.0/,
    )

    const again = await run('content', 'add', 'cat', join(folder, 'in'))
    assert.match(
      again.stdout,
      /in\/copy\.png skipped: it already exists[\s\S]*Added 0 pictures to cat; 3 skipped, 0 refused\.\n$/,
    )
    assert.equal(again.code, 0)
  })

  test('pictures are credited, removed and restored', async () => {
    const { contentDir, file, json, run } = cli()
    const folder = join(contentDir, 'animals/otter')
    await writeFile(file('a.png'), tinyPng(21))
    await writeFile(file('b.png'), tinyPng(22))
    const dry = await run('content', 'add', 'otter', file('a.png'), '--author', 'Ann', '--dry-run')
    assert.match(dry.stdout, /^\+animals\/otter\/a-[0-9a-f]{12}\.png \(\d+ bytes\)$/m)
    await assert.rejects(readdir(folder))
    const { results } = await json('content', 'add', 'otter', file('a.png'), file('b.png'), '--author', 'Ann')
    const [a, b] = results.map((result: { file: string }) => result.file)
    await json('content', 'credit', 'otter', a, b, '--author', 'Bob', '--license', 'CC0-1.0')
    const credits = await readFile(join(folder, 'credits.yaml'), 'utf8')
    assert.equal(credits.match(/author: Bob/g)?.length, 2)
    const { history } = await json('content', 'remove', 'otter', a)
    assert.deepEqual((await readdir(folder)).sort(), [b, 'credits.yaml'])
    await json('history', 'undo', String(history))
    assert.deepEqual((await readdir(folder)).sort(), [a, b, 'credits.yaml'])
    assert.equal(await readFile(join(folder, 'credits.yaml'), 'utf8'), credits)
    const wrong = await run('content', 'remove', 'otter', '../cat/x.png')
    assert.deepEqual([wrong.code, /There is no picture/.test(wrong.stderr)], [1, true])
  })

  test('tags are added, listed and replaced, and a tag of two words is refused', async () => {
    const { file, json, run } = cli()
    await writeFile(file('nap.png'), tinyPng(23))
    await json('content', 'add', 'lynx', file('nap.png'), '--tag', 'Sleeping', '--tag', 'hat,red')
    const [{ file: name, credit }] = (await json('content', 'list', 'lynx')).pictures
    assert.deepEqual(credit, { tags: ['sleeping', 'hat', 'red'] })
    assert.match((await run('content', 'list', 'lynx')).stdout, /sleeping, hat, red/)
    await json('content', 'credit', 'lynx', name, '--tag', 'awake')
    assert.deepEqual((await json('content', 'list', 'lynx')).pictures[0].credit, { tags: ['awake'] })
    for (const command of [
      ['add', 'lynx', file('nap.png')],
      ['credit', 'lynx', name],
    ]) {
      const wrong = await run('content', ...command, '--tag', 'two words')
      assert.notEqual(wrong.code, 0)
      assert.match(wrong.stderr, /tags/)
    }
  })

  test('a URL with a private address is refused, unless FILTER_ALLOW_HOSTS allows it', async (t) => {
    const { file, run } = cli()
    const source = await startSource(t, (_, reply) => void reply.end(tinyPng(7)))
    await writeFile(file('urls.txt'), `# cats\n${source.url('/cat.png')}\n`)
    const refused = await run('content', 'add', 'cat', file('urls.txt'))
    assert.equal(refused.code, 1)
    assert.match(
      refused.stdout,
      /cat\.png refused: .*not on the public internet.*\nAdded 0 pictures to cat; 0 skipped, 1 refused\.\n/,
    )
    const allow = ['--filter-allow-hosts', source.host]
    const allowed = await run('content', 'add', 'cat', file('urls.txt'), ...allow)
    assert.match(allowed.stdout, / added as \S+\nAdded 1 picture to cat/)
  })

  test('a wrong file, folder, kind, argument or credit is refused with the reason', async () => {
    const { fail, run, json, folder, file } = cli()
    await writeSettledFiles(folder, { 'empty/notes.md': 'x', 'a.png': tinyPng(3) })
    const picture = file('a.png')
    const messages = await Promise.all([
      fail('content', 'add', 'cat', file('nothing.txt')),
      fail('content', 'list', '--content-dir', file('missing')),
      fail('content', 'add', 'cat'),
      fail('content', 'add', 'Big Cat', picture),
      fail('content', 'add', 'cat', file('empty')),
      fail('content', 'add', 'cat', picture, '--source', 'javascript:alert(1)'),
      fail('content', 'add', 'cat', picture, '--tag', 'Big Cat'),
    ])
    const expected = [
      /nothing\.txt cannot be used: no such file or directory\.$/,
      /^CONTENT_DIR \(.*missing\) is not a folder\. Create it/,
      /^The argument <pictures> is missing/,
      /^"Big Cat" is not a name of a kind/,
      /^There are no pictures in these files, folders or URLs\.$/,
      /^The credits are not valid: "source" must be an http or https URL\.$/,
      /^The credits are not valid: "tags\.0" must have 1 to 50 characters: a-z, 0-9 and -, but no - at its start\.$/,
    ]
    for (const [index, message] of messages.entries()) assert.match(message, expected[index]!)
    await writeSettledFiles(folder, { 'broken.png': 'x' })
    const { history } = await json('history', 'list')
    await fail('content', 'add', 'dog', file('empty'), '--keep-drawings')
    assert.equal((await run('content', 'add', 'dog', file('broken.png'), '--keep-drawings')).code, 1)
    assert.deepEqual((await json('history', 'list')).history, history, 'nothing is changed then')
  })
})

test('"content list" shows every kind with its number of items', async (t) => {
  const { contentDir, run, json } = await commandLine(t)
  await writeSettledFiles(contentDir, { 'animals/cat/a.png': tinyPng(1), 'string/8ball.txt': 'yes\nno\n' })
  const { kinds, problems } = await json('content', 'list')
  assert.equal(problems, 0)
  assert.deepEqual(kinds.animals[0], { kind: 'cat', count: 1, drawn: false, types: { png: 1 } })
  assert.deepEqual(kinds.string[0], { kind: '8ball', count: 2, drawn: false, types: {} })
  assert.match((await run('content', 'list')).stdout, /^animals\tcat\t1\t1 png\nanimals\tdog\tdrawn\t\n/)
})

test('"content check" lists problems by file, line and rule, with exit code 1', async (t) => {
  const { contentDir, run, json } = await commandLine(t)
  await writeSettledFiles(contentDir, { 'animals/cat/a.png': tinyPng(1), 'string/8ball.txt': 'yes\n' })
  assert.deepEqual(await json('content', 'check'), { success: true, pictures: 1, problems: [] })
  await writeSettledFiles(contentDir, {
    'animals/cat/b.png': 'not a picture',
    'animals/cat/twin.png': tinyPng(1),
    'app/releases.yaml': 'launcher:\n  - version: two\n',
  })
  const { code, stdout } = await run('content', 'check')
  assert.equal(code, 1)
  assert.match(stdout, /^animals\/cat\/b\.png type: /m)
  assert.match(stdout, /^animals\/cat\/twin\.png duplicate: The same picture as animals\/cat\/a\.png\.$/m)
  assert.match(stdout, /^app\/releases\.yaml:2 version: .*must be one to four numbers/m)
  const asJson = await run('content', 'check', '--json')
  assert.equal(asJson.code, 1)
  const { success, problems } = JSON.parse(asJson.stdout)
  assert.deepEqual([success, problems.length], [false, 4])
})

test('a contact sheet shows eight by six drawings', async (t) => {
  const { folder, program, fail } = await commandLine(t)
  const { files } = await program.json('content', 'sheet', 'fish', '--out', 'a', '--seed', '1')
  assert.deepEqual(files, ['a/fish.png'])
  const { width, height, format } = await sharp(join(folder, 'a/fish.png')).metadata()
  assert.deepEqual([format, width! > height!, width! / 8 > 96], ['png', true, true])
  assert.match(await fail('content', 'sheet', 'fsh'), /Did you mean fish\?$/)
  assert.equal(await fail('content', 'sheet', 'cat', '--seed', 'x'), '--seed must be a whole number, not "x".')
})
