import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import fc from 'fast-check'
import sharp from 'sharp'
import { CannotFit, ImageTooManyPixels } from '../../../src/errors/index.ts'
import { filters, MAX_STEPS, parseSteps } from '../../../src/features/filters/index.ts'
import { fits, outputFormats } from '../../../src/features/images/index.ts'
import { planResize } from '../../../src/features/images/resize.ts'
import { matchApiError } from '../../kit/api-error.ts'
import { gif } from '../../kit/broken-pictures.ts'
import { createPhotograph } from '../../kit/frames.ts'
import { greatestDifference } from '../filters/oracle.ts'
import { job, picture, pixelsOf, startEngine } from './engine-kit.ts'

const names = filters.map(({ name }) => name)

test('steps are parsed with their strengths; others are refused', () => {
  assert.deepEqual(parseSteps('greyscale, blur:7,contrast:-.5,blur'), [
    { filter: 'greyscale', strength: undefined },
    { filter: 'blur', strength: 7 },
    { filter: 'contrast', strength: -0.5 },
    { filter: 'blur', strength: 5 },
  ])
  assert.deepEqual(parseSteps(''), [])
  for (const text of [
    'sepia',
    'blur:',
    'blur:5:6',
    ',',
    'blur,',
    Array(MAX_STEPS + 1)
      .fill('invert')
      .join(),
  ]) {
    assert.throws(() => parseSteps(text), { status: 400 }, text)
  }
  assert.throws(() => parseSteps('blur:300'), matchApiError('STRENGTH_OUT_OF_RANGE'))
})

test('a resize never enlarges, and has exactly the size that its fit promises', () => {
  const side = fc.integer({ min: 1, max: 5000 })
  fc.assert(
    fc.property(side, side, side, side, fc.constantFrom(...fits), (width, height, toWidth, toHeight, fit) => {
      const { scaled, result } = planResize({ width, height }, { width: toWidth, height: toHeight, fit })
      assert.ok(scaled.width <= width && scaled.height <= height && scaled.width >= 1 && scaled.height >= 1)
      if (fit === 'contain') assert.deepEqual(result, { width: toWidth, height: toHeight })
      else assert.ok(result.width <= toWidth && result.height <= toHeight)
      if (fit === 'inside') assert.deepEqual(result, scaled)
      if (fit === 'cover' && toWidth <= width && toHeight <= height) {
        assert.deepEqual(result, { width: toWidth, height: toHeight })
      }
    }),
  )
})

suite('composed filters', () => {
  const engine = startEngine({ after })
  const photo = createPhotograph(90, 60)

  test('a chain equals its filters one after the other', async () => {
    const step = fc.constantFrom(...names)
    const source = await picture(photo).png().toBuffer()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: MAX_STEPS }), async (chain) => {
        const steps = chain.map((filter) => ({ filter, strength: undefined }))
        const chained = await engine.process(job(source, '', { steps, output: 'png' }))
        let bytes: Buffer = source
        for (const filter of chain) ({ bytes } = await engine.process(job(bytes, filter, { output: 'png' })))
        assert.equal(greatestDifference(await pixelsOf(chained.bytes), await pixelsOf(bytes)), 0)
      }),
      { numRuns: 25 },
    )
  })

  for (const format of ['jpeg', 'png', 'webp', 'avif'] as const) {
    test(`a ${format} is resized before it is filtered`, async () => {
      const bytes = await picture(createPhotograph(300, 200)).toFormat(format).toBuffer()
      const sizeOf = async (resize: { width?: number; height?: number; fit: (typeof fits)[number] }) => {
        const { width, height, bytes: result } = await engine.process(job(bytes, 'invert', { resize: resize as never }))
        const metadata = await sharp(result).metadata()
        assert.deepEqual([metadata.width, metadata.height], [width, height])
        return [width, height]
      }
      assert.deepEqual(await sizeOf({ width: 100, fit: 'inside' }), [100, 67])
      assert.deepEqual(await sizeOf({ height: 50, fit: 'cover' }), [75, 50])
      assert.deepEqual(await sizeOf({ width: 50, height: 50, fit: 'cover' }), [50, 50])
      assert.deepEqual(await sizeOf({ width: 50, height: 50, fit: 'contain' }), [50, 50])
      assert.deepEqual(await sizeOf({ width: 400, height: 250, fit: 'contain' }), [400, 250])
      assert.deepEqual(await sizeOf({ width: 1000, fit: 'inside' }), [300, 200])
    })
  }

  test('padding is transparent, and white in a JPEG', async () => {
    const bytes = await picture(photo).png().toBuffer()
    const resize = { width: 90, height: 90, fit: 'contain' as const }
    const corner = async (output: 'png' | 'jpeg') => {
      const { bytes: result } = await engine.process(job(bytes, '', { steps: [], resize, output }))
      const { data, channels } = await pixelsOf(result)
      return [...data.subarray(0, channels)]
    }
    assert.deepEqual(await corner('png'), [0, 0, 0, 0])
    assert.ok((await corner('jpeg')).every((value) => value >= 252))
  })

  test('every frame of an animation is resized', async () => {
    const { bytes, width, height, pages } = await engine.process(
      job(gif(50, 40, 3), 'invert', { resize: { width: 20, height: 20, fit: 'cover' } }),
    )
    assert.deepEqual([width, height, pages], [20, 20, 3])
    assert.equal((await sharp(bytes, { pages: -1 }).metadata()).pages, 3)
  })

  test('padding cannot exceed the limit of pixels', async (t) => {
    const small = startEngine(t, { maxPixels: 10_000 })
    const resize = { width: 200, height: 200, fit: 'contain' as const }
    const bytes = await picture(photo).png().toBuffer()
    await assert.rejects(small.process(job(bytes, 'invert', { resize })), ImageTooManyPixels)
  })

  for (const output of outputFormats) {
    test(`maxBytes holds for random pictures as ${output}`, async () => {
      const size = fc.integer({ min: 1, max: 120 })
      await fc.assert(
        fc.asyncProperty(size, size, fc.integer({ min: 400, max: 6000 }), async (width, height, maxBytes) => {
          const bytes = await picture(createPhotograph(width, height)).png().toBuffer()
          const result = await engine.process(job(bytes, '', { steps: [], output, maxBytes }))
          assert.ok(result.bytes.length <= maxBytes, `${result.bytes.length} of ${maxBytes}`)
          const metadata = await sharp(result.bytes).metadata()
          assert.deepEqual([metadata.width, metadata.height], [result.width, result.height])
        }),
        { numRuns: 15 },
      )
    })
  }

  test('bytes that no image of the format can have are refused', async () => {
    const bytes = await picture(photo).png().toBuffer()
    await assert.rejects(engine.process(job(bytes, 'invert', { maxBytes: 20 })), new CannotFit(20))
  })
})
