import assert from 'node:assert/strict'
import { readdir, readFile, readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { parse } from 'yaml'
import { addPictures, checkContent } from '../../../src/features/content/index.ts'
import { cleanPicture } from '../../../src/features/content/validate-picture.ts'
import { writeSettledFiles } from '../../kit/content.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createAnimation, createNoisyImage, tinyPng } from '../../kit/pictures.ts'
import { startSource } from '../../kit/source.ts'

/** A photo taken sideways, with the place where it was taken. */
const photo = async () =>
  sharp(await createNoisyImage('jpeg', 60, 40))
    .withExif({ IFD0: { Artist: 'Ann' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()

test('an added photo is upright and has no metadata', async (t) => {
  const dir = await temporaryFolder(t)
  await writeSettledFiles(dir, { 'in/Mein Föto.JPG': await photo() })
  const {
    results: [result],
  } = await addPictures({ dir, kind: 'cat', sources: [join(dir, 'in/Mein Föto.JPG')] })
  assert.ok(result?.outcome === 'added')
  assert.match(result.file, /^mein-foto-[0-9a-f]{12}\.jpg$/)
  const bytes = await readFile(join(dir, 'animals/cat', result.file))
  const { width, height, orientation, exif, xmp, icc } = await sharp(bytes).metadata()
  assert.deepEqual([width, height, orientation, exif, xmp, icc], [40, 60, undefined, undefined, undefined, undefined])
  assert.ok(!bytes.includes('GPS') && !bytes.includes('Ann'))
})

test('a picture that takes too much of the memory is refused before it is decoded', async () => {
  const pixels = 60 * 40
  await assert.rejects(cleanPicture(await photo(), 10 * pixels - 1), /does not have the memory for its 2400 pixels/)
  assert.equal((await cleanPicture(await photo(), 10 * pixels)).extension, 'jpg')
})

test('a picture without metadata keeps its bytes, and an animation its frames', async (t) => {
  const dir = await temporaryFolder(t)
  const files = {
    'in/a.webp': await createNoisyImage('webp'),
    'in/deep/b.gif': await createAnimation('gif'),
    'in/notes.txt.bak': 'x',
  }
  await writeSettledFiles(dir, files)
  const { results } = await addPictures({ dir, kind: 'cat', sources: [join(dir, 'in')] })
  const added = await Promise.all(
    results.map((result) => readFile(join(dir, 'animals/cat', result.outcome === 'added' ? result.file : ''))),
  )
  assert.deepEqual(added, [files['in/a.webp'], files['in/deep/b.gif']])
})

test('a folder is read once even if links lead back to it; linked pictures are added, hidden ones are not', async (t) => {
  const dir = await temporaryFolder(t)
  await writeSettledFiles(dir, {
    'in/a.png': tinyPng(1),
    'in/._a.png': 'AppleDouble',
    'in/.thumbnails/a.png': tinyPng(2),
    'elsewhere/b.png': tinyPng(3),
  })
  // With a reader that follows both links each time, the number of paths doubles with each level.
  for (const name of ['loop', 'same']) await symlink('.', join(dir, 'in', name))
  await symlink('../elsewhere/b.png', join(dir, 'in/linked.png'))
  const { results } = await addPictures({ dir, kind: 'cat', sources: [join(dir, 'in')] })
  const found = results.map(({ source, outcome }) => [source, outcome])
  assert.deepEqual(found, [
    [join(dir, 'in/a.png'), 'added'],
    [join(dir, 'in/linked.png'), 'added'],
  ])
})

test('existing pictures are skipped and other files are refused, each with a reason', async (t) => {
  const dir = await temporaryFolder(t)
  const [duplicate, other] = [tinyPng(1), tinyPng(2)]
  const progress: string[] = []
  await writeSettledFiles(dir, {
    'animals/fox/old.png': duplicate,
    'in/a.png': duplicate,
    'in/b.png': other,
    'in/c.png': other,
    'in/cut.png': duplicate.subarray(0, 40),
    'in/page.jpg': '<html>',
  })
  const sources = [join(dir, 'in'), join(dir, 'missing.png')]
  const onProgress = (done: number, total: number) => void progress.push(`${done}/${total}`)
  const { results } = await addPictures({ dir, kind: 'fox', sources, onProgress })
  const outcomes = results.map((result) => [result.outcome, 'reason' in result ? result.reason : ''].join(' '))
  assert.match(
    outcomes.join('\n'),
    /^skipped .*old\.png\nadded \nskipped .*b-[0-9a-f]{12}\.png\nrefused .*\nrefused .*\nrefused .*no such file$/,
  )
  assert.deepEqual(progress, ['1/6', '2/6', '3/6', '4/6', '5/6', '6/6'])
  assert.equal((await readdir(join(dir, 'animals/fox'))).length, 2)
})

test('credits are added to the existing ones', async (t) => {
  const dir = await temporaryFolder(t)
  await writeSettledFiles(dir, {
    'animals/cat/credits.yaml': '# ours\ndefault:\n  license: CC0-1.0\n',
    'in/a.png': tinyPng(1),
  })
  const credits = { author: 'Ann: "A"', source: 'https://example.org/' }
  const {
    results: [added],
  } = await addPictures({ dir, kind: 'cat', sources: [join(dir, 'in/a.png')], credits })
  assert.ok(added?.outcome === 'added')
  const text = await readFile(join(dir, 'animals/cat/credits.yaml'), 'utf8')
  assert.match(text, /^# ours\n/)
  assert.deepEqual(parse(text), { default: { license: 'CC0-1.0' }, [added.file]: credits })
  assert.deepEqual((await checkContent(dir)).problems, [])
})

test('invalid credits and kind names are refused', async (t) => {
  const dir = await temporaryFolder(t)
  const wrong = { source: 'ftp://example.org' }
  await assert.rejects(addPictures({ dir, kind: 'cat', sources: [], credits: wrong }), /credits.*source/)
  await assert.rejects(addPictures({ dir, kind: '../cat', sources: [] }), /name of a kind/)
})

test('a credits file that cannot be read is not replaced', async (t) => {
  const dir = await temporaryFolder(t)
  await writeSettledFiles(dir, { 'in/a.png': tinyPng(1), 'animals/cat/README.md': '' })
  const file = join(dir, 'animals/cat/credits.yaml')
  await symlink(file, file)
  const adding = addPictures({ dir, kind: 'cat', sources: [join(dir, 'in/a.png')], credits: { author: 'Ann' } })
  await assert.rejects(adding, /credits\.yaml cannot be read \(ELOOP\)/)
  assert.deepEqual((await readdir(join(dir, 'animals/cat'))).sort(), ['README.md', 'credits.yaml'])
  assert.equal(await readlink(file), file)
})

test('URLs and files with URLs are fetched with the given function', async (t) => {
  const dir = await temporaryFolder(t)
  const { url } = await startSource(t, (request, reply) => {
    if (request.url?.startsWith('/tom.png')) reply.end(tinyPng(5))
    else if (request.url === '/ann.png') reply.end(tinyPng(6))
    else reply.writeHead(404).end()
  })
  await writeSettledFiles(dir, {
    'in/urls.txt': `# cats\n${url('/tom.png?x=1')}\n\n${url('/missing.png')}\nfile:///etc/passwd\n`,
  })
  const fetchBytes = async (address: string) => {
    const reply = await fetch(address)
    if (!reply.ok) throw new Error(`the source answers ${reply.status}`)
    return { bytes: Buffer.from(await reply.arrayBuffer()) }
  }
  const sources = [url('/ann.png'), join(dir, 'in/urls.txt')]
  const { results } = await addPictures({ dir, kind: 'cat', sources, fetch: fetchBytes })
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ['added', 'added', 'refused', 'refused'],
  )
  assert.match(JSON.stringify(results), /ann-[0-9a-f]{12}\.png.*tom-[0-9a-f]{12}\.png.*answers 404.*not an http/)
})

const SECRET = 'taken at 52.5 N, 13.4 E'

function pngChunk(name: string, data: string | Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), Buffer.from(data)])
  const chunk = Buffer.alloc(named.length + 8)
  chunk.writeUInt32BE(named.length - 4)
  named.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(named), chunk.length - 4)
  return chunk
}

function jpegSegment(marker: number, text: string): Buffer {
  const segment = Buffer.concat([Buffer.from([0xff, marker, 0, 0]), Buffer.from(text)])
  segment.writeUInt16BE(segment.length - 2, 2)
  return segment
}

function webpChunk(name: string, text: string): Buffer {
  const chunk = Buffer.concat([Buffer.from(`${name}....${text}`), Buffer.alloc(text.length % 2)])
  chunk.writeUInt32LE(text.length, 4)
  return chunk
}

const insertAt = (bytes: Buffer, at: number, part: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)])
const appendSecret = (bytes: Buffer) => Buffer.concat([bytes, Buffer.from(SECRET)])

function appendWebpChunk(bytes: Buffer, chunk: Buffer): Buffer {
  const whole = Buffer.concat([bytes, chunk])
  whole.writeUInt32LE(whole.length - 8, 4)
  return whole
}

async function filesWithSecrets(): Promise<Record<string, Buffer>> {
  const [png, jpeg, webp, avif] = await Promise.all(
    (['png', 'jpeg', 'webp', 'avif'] as const).map((type) => createNoisyImage(type)),
  )
  const gif = await createAnimation('gif')
  const comment = Buffer.from([0x21, 0xfe, SECRET.length, ...Buffer.from(SECRET), 0])
  // A text that inflates to 60 MB.
  const deflated = deflateSync(Buffer.concat([Buffer.alloc(60e6, 65), Buffer.from(SECRET)]))
  const AFTER_IHDR = 33
  const AFTER_SOI = 2
  const insertChunk = (chunk: Buffer) => insertAt(png!, AFTER_IHDR, chunk)
  const insertSegment = (segment: Buffer) => insertAt(jpeg!, AFTER_SOI, segment)
  return {
    'private.png': insertChunk(pngChunk('prVt', SECRET)),
    'text.png': insertChunk(pngChunk('tEXt', `Comment\0${SECRET}`)),
    'long.png': insertChunk(pngChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), deflated]))),
    'trailing.png': appendSecret(png!),
    'comment.jpg': insertSegment(jpegSegment(0xfe, SECRET)),
    'maker.jpg': insertSegment(jpegSegment(0xe7, SECRET)),
    'preview.jpg': insertSegment(jpegSegment(0xe2, `MPF\0${SECRET}`)),
    'behind.jpg': appendSecret(jpeg!),
    'second.jpg': Buffer.concat([jpeg!, insertSegment(jpegSegment(0xfe, SECRET))]),
    'private.webp': appendWebpChunk(webp!, webpChunk('GPSx', SECRET)),
    'behind.webp': appendSecret(webp!),
    'comment.gif': insertAt(gif, gif.length - 1, comment),
    'behind.gif': appendSecret(gif),
    'behind.avif': appendSecret(avif!),
  }
}

test('adding a picture removes all metadata, and adding the result again changes nothing', async (t) => {
  const dir = await temporaryFolder(t)
  const files = await filesWithSecrets()
  await writeSettledFiles(dir, Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`in/${name}`, bytes])))
  for (const [name, bytes] of Object.entries(files)) {
    const kind = name.replace('.', '-')
    const {
      results: [added],
    } = await addPictures({ dir, kind, sources: [join(dir, 'in', name)] })
    assert.ok(added?.outcome === 'added', `${name}: ${JSON.stringify(added)}`)
    const path = join(dir, 'animals', kind, added.file)
    const cleaned = await readFile(path)
    assert.ok(!cleaned.includes(SECRET) && !cleaned.equals(bytes), name)
    if (name.endsWith('.gif'))
      assert.ok(cleaned.equals(await createAnimation('gif')), 'its frames are not encoded again')
    assert.ok(cleaned.length < bytes.length + 2000 && (await sharp(cleaned).metadata()).width > 0)
    const {
      results: [again],
    } = await addPictures({ dir, kind, sources: [path] })
    assert.equal(again?.outcome, 'skipped', `${name} is not rewritten each time`)
  }
})
