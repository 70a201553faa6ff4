import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { commandLine } from '../kit/command-line.ts'
import { createNoisyImage } from '../kit/pictures.ts'
import { forSuite } from '../kit/scope.ts'
import { startSource } from '../kit/source.ts'

describe('"filter"', () => {
  const suite = forSuite(async (scope) => {
    const cli = await commandLine(scope)
    const image = join(cli.folder, 'a cat.png')
    await writeFile(image, await createNoisyImage('png', 24, 16))
    return { ...cli, image }
  })

  test('writes the filtered image', async () => {
    const { folder, image, program } = suite()
    assert.match(
      (await program.run('filter', 'invert', 'a cat.png')).stdout,
      /^Wrote a cat-invert\.png \(image\/png, 24 x 16, \d+ bytes\)\.\n$/,
    )
    const [before, after] = await Promise.all(
      [image, join(folder, 'a cat-invert.png')].map((path) => sharp(path).removeAlpha().raw().toBuffer()),
    )
    assert.deepEqual(
      after,
      before!.map((value) => 255 - value),
    )
    const result = await program.json(
      'filter',
      'blur',
      'a cat.png',
      '--strength',
      '3',
      '--image-format',
      'webp',
      '-o',
      'soft.webp',
    )
    assert.deepEqual([result.file, result.type, result.width, result.pages], ['soft.webp', 'image/webp', 24, 1])
    assert.equal((await sharp(join(folder, 'soft.webp')).metadata()).format, 'webp')
  })

  test('applies chains, resizes and limits the bytes', async () => {
    const { program, fail } = suite()
    const words = ['filter', 'chain', 'a cat.png', '--steps', 'greyscale,blur:2', '--width', '12']
    const result = await program.json(...words, '--max-bytes', '700', '-o', 'chain.png')
    assert.deepEqual([result.width, result.height], [12, 8])
    assert.ok(result.size <= 700)
    assert.match(await fail(...words, '--height', '0'), /--height must be a whole number from 1 to 8192/)
    assert.match(await fail('filter', 'chain', 'a cat.png', '--steps', 'sepia'), /there is no filter "sepia"/)
    assert.match(await fail('filter', 'blur', 'a cat.png', '--steps', 'invert'), /blur takes no --steps/)
  })

  test('fetches a URL with the address checks of the service', async (t) => {
    const { json, fail, image, folder } = suite()
    const bytes = await readFile(image)
    const source = await startSource(t, (_, reply) => void reply.end(bytes))
    const words = ['filter', 'greyscale', source.url('/x/fox.png?a=1'), '-o', join(folder, 'fox.png')]
    assert.match(await fail(...words), /not on the public internet/)
    assert.equal((await json(...words, '--filter-allow-hosts', source.host)).width, 24)
    const capitals = source.url('/fox.png').replace('http:', 'HTTP:')
    assert.match(await fail('filter', 'greyscale', capitals), /not on the public internet/)
  })

  test('explains mistakes and then writes no file', async () => {
    const { fail, image, folder } = suite()
    const text = join(folder, 'text.png')
    await writeFile(text, 'no picture')
    const before = await readdir(folder)
    const failWith = (...words: string[]) => fail('filter', ...words, '-o', join(folder, 'out.png'))
    assert.match(await failWith('blurr', image), /Did you mean blur\?$/)
    assert.match(await failWith('blur', image, '--strength', '999'), /1 .* 256/)
    assert.match(await failWith('blur', image, '--strength', 'much'), /number/)
    assert.equal(await failWith('invert', image, '--strength', '1'), 'invert takes no --strength.')
    assert.match(
      await failWith('invert', join(folder, 'none.png')),
      /none\.png cannot be used: no such file or directory\.$/,
    )
    assert.match(await failWith('invert', folder), / is not a file\.$/)
    assert.match(
      await failWith('invert', text),
      /cannot be read: it is not an image of a known type\. Use another image\.$/,
    )
    assert.match(
      await fail('filter', 'invert', image, '-o', join(folder, 'nope/x.png'), '--force'),
      /^The folder \S+nope does not exist\. Create it/,
    )
    assert.match(
      await failWith(
        'invert',
        image,
        '--filter-max-pixels',
        '10000',
        '--filter-max-bytes',
        '65536',
        '--image-format',
        'bmp',
      ),
      /must be one of jpeg/,
    )
    assert.match(
      await fail('filter', 'invert', image, '-o', image),
      /already exists\. Use another --out, or --force to overwrite it\.$/,
    )
    assert.deepEqual(await readdir(folder), before)
  })
})
