import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { commandLine } from '../kit/command-line.ts'
import { noisy } from '../kit/pictures.ts'
import { forSuite } from '../kit/scope.ts'
import { startSource } from '../kit/source.ts'

describe('a picture filtered on the command line', () => {
  const open = forSuite(async (scope) => {
    const line = await commandLine(scope)
    const file = join(line.folder, 'a cat.png')
    await writeFile(file, await noisy('png', 24, 16))
    return { ...line, file }
  })

  test('is what the filter makes of it, beside nothing else', async () => {
    const { folder, file, run, json } = open()
    assert.match(
      (await run('filter', 'invert', 'a cat.png')).stdout,
      /^Wrote a cat-invert\.png \(image\/png, 24 x 16, \d+ bytes\)\.\n$/,
    )
    const [before, after] = await Promise.all(
      [file, join(folder, 'a cat-invert.png')].map((path) => sharp(path).removeAlpha().raw().toBuffer()),
    )
    assert.deepEqual(
      after,
      before!.map((value) => 255 - value),
    )
    const told = await json('filter', 'blur', 'a cat.png', '--strength', '3', '--output', 'webp', '-o', 'soft.webp')
    assert.deepEqual([told.file, told.type, told.width, told.pages], ['soft.webp', 'image/webp', 24, 1])
    assert.equal((await sharp(join(folder, 'soft.webp')).metadata()).format, 'webp')
  })

  test('may come from a URL that passes the guards', async (t) => {
    const { here, file, folder } = open()
    const bytes = await readFile(file)
    const source = await startSource(t, (_, reply) => void reply.end(bytes))
    const words = ['filter', 'greyscale', source.url('/x/fox.png?a=1'), '-o', join(folder, 'fox.png')]
    assert.match(await here.refusal(...words), /not on the public internet/)
    assert.equal((await here.json(...words, '--filter-allow-hosts', source.host)).width, 24)
  })

  test('mistakes are sentences, and leave no file', async () => {
    const { here, file, folder } = open()
    const text = join(folder, 'text.png')
    await writeFile(text, 'no picture')
    const before = await readdir(folder)
    const say = (...words: string[]) => here.refusal('filter', ...words, '-o', join(folder, 'out.png'))
    assert.match(await say('blurr', file), /did you mean blur\?$/)
    assert.match(await say('blur', file, '--strength', '999'), /1 .* 256/)
    assert.match(await say('blur', file, '--strength', 'much'), /number/)
    assert.equal(await say('invert', file, '--strength', '1'), 'invert takes no --strength.')
    assert.match(await say('invert', join(folder, 'none.png')), /none\.png cannot be used: it does not exist\.$/)
    assert.match(await say('invert', folder), / is not a file\.$/)
    assert.match(await say('invert', text), /./)
    assert.match(
      await here.refusal('filter', 'invert', file, '-o', join(folder, 'nope/x.png'), '--force'),
      /^There is no folder \S+nope; make it first/,
    )
    assert.match(
      await say('invert', file, '--filter-max-pixels', '10000', '--filter-max-bytes', '65536', '--output', 'bmp'),
      /must be one of jpeg/,
    )
    assert.match(
      await here.refusal('filter', 'invert', file, '-o', file),
      /is there already; name another with --out, or use --force\.$/,
    )
    assert.deepEqual(await readdir(folder), before)
  })
})
