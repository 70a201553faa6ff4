import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { addPictures, checkContent } from '../../../src/features/content/index.ts'
import { place } from '../../kit/content.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { animation, noisy, tinyPng } from '../../kit/pictures.ts'

/** A photo taken sideways, with the place where it was taken. */
const photo = async () =>
  sharp(await noisy('jpeg', 60, 40))
    .withExif({ IFD0: { Artist: 'Ann' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()

test('an added photo stands upright and tells nothing about its maker', async (t) => {
  const dir = await temporaryFolder(t)
  await place(dir, { 'in/Mein Föto.JPG': await photo() })
  const [result] = await addPictures({ dir, kind: 'cat', sources: [join(dir, 'in/Mein Föto.JPG')] })
  assert.ok(result?.outcome === 'added')
  assert.match(result.file, /^mein-fo-to-[0-9a-f]{12}\.jpg$/)
  const bytes = await readFile(join(dir, 'animals/cat', result.file))
  const { width, height, orientation, exif, xmp, icc } = await sharp(bytes).metadata()
  assert.deepEqual([width, height, orientation, exif, xmp, icc], [40, 60, undefined, undefined, undefined, undefined])
  assert.ok(!bytes.includes('GPS') && !bytes.includes('Ann'))
})

test('a picture that tells nothing keeps its bytes, and an animation its frames', async (t) => {
  const dir = await temporaryFolder(t)
  const files = { 'in/a.webp': await noisy('webp'), 'in/deep/b.gif': await animation('gif'), 'in/notes.txt.bak': 'x' }
  await place(dir, files)
  const results = await addPictures({ dir, kind: 'cat', sources: [join(dir, 'in')] })
  const added = await Promise.all(
    results.map((result) => readFile(join(dir, 'animals/cat', result.outcome === 'added' ? result.file : ''))),
  )
  assert.deepEqual(added, [files['in/a.webp'], files['in/deep/b.gif']])
})

test('what is there already is skipped, what is no picture is refused, each with its reason', async (t) => {
  const dir = await temporaryFolder(t)
  const [twin, other] = [tinyPng(1), tinyPng(2)]
  const progress: string[] = []
  await place(dir, {
    ...{ 'animals/fox/old.png': twin, 'in/a.png': twin, 'in/b.png': other, 'in/c.png': other },
    ...{ 'in/cut.png': twin.subarray(0, 40), 'in/page.jpg': '<html>' },
  })
  const sources = [join(dir, 'in'), join(dir, 'missing.png')]
  const onProgress = ({ done, total }: { done: number; total: number }) => void progress.push(`${done}/${total}`)
  const results = await addPictures({ dir, kind: 'fox', sources, onProgress })
  const told = results.map((result) => [result.outcome, 'reason' in result ? result.reason : ''].join(' '))
  assert.match(
    told.join('\n'),
    /^skipped .*old\.png\nadded \nskipped .*b-[0-9a-f]{12}\.png\nrefused .*\nrefused .*\nrefused .*no such file$/,
  )
  assert.deepEqual(progress, ['1/6', '2/6', '3/6', '4/6', '5/6', '6/6'])
  assert.equal((await readdir(join(dir, 'animals/fox'))).length, 2)
})

test('credits are written beside what is there already', async (t) => {
  const dir = await temporaryFolder(t)
  await place(dir, { 'animals/cat/credits.yaml': '# ours\ndefault:\n  license: CC0-1.0\n', 'in/a.png': tinyPng(1) })
  const credits = { author: 'Ann: "A"', source: 'https://example.org/' }
  await addPictures({ dir, kind: 'cat', sources: [join(dir, 'in/a.png')], credits })
  assert.match(await readFile(join(dir, 'animals/cat/credits.yaml'), 'utf8'), /^# ours\ndefault:/)
  const { problems } = await checkContent(dir)
  assert.deepEqual(problems, [])
  const wrong = { source: 'ftp://example.org' }
  await assert.rejects(addPictures({ dir, kind: 'cat', sources: [], credits: wrong }), /credits.*source/)
  await assert.rejects(addPictures({ dir, kind: '../cat', sources: [] }), /name of a kind/)
})

test('credits that cannot be read are not replaced', async (t) => {
  const dir = await temporaryFolder(t)
  await place(dir, { 'in/a.png': tinyPng(1), 'animals/cat/README.md': '' })
  const file = join(dir, 'animals/cat/credits.yaml')
  await symlink(file, file)
  const adding = addPictures({ dir, kind: 'cat', sources: [join(dir, 'in/a.png')], credits: { author: 'Ann' } })
  await assert.rejects(
    adding,
    /credits\.yaml cannot be read \(ELOOP\); the pictures were added, their credits were not/,
  )
  assert.equal(await readlink(file), file)
})

test('URLs, and files that list them, are fetched by what the caller gives for it', async (t) => {
  const dir = await temporaryFolder(t)
  const server = createServer((request, reply) => {
    if (request.url?.startsWith('/tom.png')) reply.end(tinyPng(5))
    else reply.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  t.after(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await mkdir(join(dir, 'in'))
  await writeFile(join(dir, 'in/urls.txt'), `# cats\n${url}/tom.png?x=1\n\n${url}/missing.png\nfile:///etc/passwd\n`)
  const fetchBytes = async (address: string) => {
    const reply = await fetch(address)
    if (!reply.ok) throw new Error(`the source answers ${reply.status}`)
    return { bytes: Buffer.from(await reply.arrayBuffer()) }
  }
  const results = await addPictures({ dir, kind: 'cat', sources: [join(dir, 'in/urls.txt')], fetch: fetchBytes })
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ['added', 'refused', 'refused'],
  )
  assert.match(JSON.stringify(results), /tom-[0-9a-f]{12}\.png.*answers 404.*no http/)
})

test('a check runs to its end in a process that has nothing else to do', async (t) => {
  const dir = await temporaryFolder(t)
  await mkdir(join(dir, 'animals/cat'), { recursive: true })
  await writeFile(join(dir, 'animals/cat/fresh.png'), tinyPng(1))
  const room = new URL('../../../src/features/content/index.ts', import.meta.url)
  const script = `import { checkContent } from '${room}'
    console.log((await checkContent(process.argv[1])).catalogue.animals[0].count)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, dir])
  assert.equal(stdout.trim(), '1')
})

test('a check names broken files, twins and bad lists', async (t) => {
  const dir = await temporaryFolder(t)
  await place(dir, {
    ...{ 'animals/cat/a.png': tinyPng(1), 'animals/cat/b.png': tinyPng(1), 'animals/cat/c.png': 'x' },
    ...{ 'animals/dog/a.png': tinyPng(1), 'string/8ball.txt': 'a\na\n' },
  })
  const { problems, catalogue } = await checkContent(dir)
  assert.deepEqual(problems.map(({ file, rule }) => `${file} ${rule}`).sort(), [
    'animals/cat/b.png duplicate',
    'animals/cat/c.png type',
    'string/8ball.txt duplicate',
  ])
  assert.deepEqual(
    catalogue.animals.slice(0, 2).map(({ count }) => count),
    [2, 1],
  )
  assert.equal(catalogue.kaomoji[0]?.count, 0, 'what the service brings is not counted')
})
