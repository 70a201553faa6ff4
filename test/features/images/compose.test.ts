import assert from 'node:assert/strict'
import process from 'node:process'
import { after, suite, test } from 'node:test'
import fc from 'fast-check'
import sharp from 'sharp'
import { CannotFit, ImageTooManyPixels } from '../../../src/errors/index.ts'
import { filters, MAX_STEPS, parseSteps } from '../../../src/features/filters/index.ts'
import { planResize } from '../../../src/features/images/formats.ts'
import { fits, outputFormats } from '../../../src/features/images/index.ts'
import { matchApiError } from '../../kit/api-error.ts'
import { gif } from '../../kit/broken-pictures.ts'
import { createPhotograph, randomBytes } from '../../kit/frames.ts'
import { greatestDifference } from '../filters/oracle.ts'
import { job, picture, pixelsOf, startEngine } from './engine-kit.ts'

/** Runs of the tests with random images. */
const runs = Number(process.env.PROPERTY_RUNS ?? 15)

const imageKinds = ['photograph', 'noise', 'gradient', 'flat'] as const
const side = fc.integer({ min: 1, max: 120 })

const randomImage = fc.record({
  kind: fc.constantFrom(...imageKinds),
  width: fc.oneof(fc.constant(1), side),
  height: fc.oneof(fc.constant(1), side),
  channels: fc.constantFrom<(3 | 4)[]>(3, 4),
  frameCount: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 6 })),
  seed: fc.nat(1000),
})
type RandomImage = typeof randomImage extends fc.Arbitrary<infer Image> ? Image : never

/** A PNG, or a lossless WebP animation. */
function createImage({ kind, width, height, channels, frameCount, seed }: RandomImage): Promise<Buffer> {
  const raw = { width, height: height * frameCount, channels, ...(frameCount > 1 && { pageHeight: height }) }
  const photograph = createPhotograph(width, height * frameCount, channels, seed)
  const random = randomBytes(seed)
  const sample = { noise: random, gradient: (at: number) => (at / width) & 255, flat: () => seed & 255 }
  const data = kind === 'photograph' ? photograph.data : photograph.data.map((_, at) => sample[kind](at))
  const image = sharp(data, { raw })
  return frameCount > 1 ? image.webp({ lossless: true, exact: true }).toBuffer() : image.png().toBuffer()
}

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
  assert.throws(() => parseSteps('blur,sepia'), { message: /there is no filter "sepia"\.$/ })
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

  test('a chain equals a resize and its filters one after the other', async () => {
    const step = fc.constantFrom(...filters).chain(({ name, strength }) => {
      const { min, max } = strength ?? { min: 0, max: 0 }
      return fc.record({
        filter: fc.constant(name),
        strength: strength
          ? fc.option(fc.double({ min, max, noNaN: true }), { nil: undefined })
          : fc.constant(undefined),
      })
    })
    const chain = fc.array(step, { minLength: 1, maxLength: MAX_STEPS })
    const size = fc.record({ width: side, height: side, fit: fc.constantFrom(...fits) })
    const applied = new Set<string>()
    await fc.assert(
      fc.asyncProperty(randomImage, chain, fc.option(size), async (image, steps, size) => {
        const source = await createImage({ ...image, frameCount: 1 })
        const resize = size ?? undefined
        const chained = await engine.process(job(source, '', { steps, resize }))
        let { bytes } = await engine.process(job(source, '', { steps: [], resize }))
        for (const step of steps) {
          applied.add(step.filter)
          ;({ bytes } = await engine.process(job(bytes, '', { steps: [step] })))
        }
        const [together, apart] = [await pixelsOf(chained.bytes), await pixelsOf(bytes)]
        assert.deepEqual([together.width, together.height], [apart.width, apart.height])
        assert.equal(greatestDifference(together, apart), 0)
      }),
      { numRuns: Math.max(runs, 25) },
    )
    assert.equal(applied.size, filters.length)
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
    const { bytes, width, height, frameCount } = await engine.process(
      job(gif(50, 40, 3), 'invert', { resize: { width: 20, height: 20, fit: 'cover' } }),
    )
    assert.deepEqual([width, height, frameCount], [20, 20, 3])
    assert.equal((await sharp(bytes, { pages: -1 }).metadata()).pages, 3)
  })

  test('padding cannot exceed the limit of pixels', async (t) => {
    const small = startEngine(t, { maxPixels: 10_000 })
    const resize = { width: 200, height: 200, fit: 'contain' as const }
    const bytes = await picture(photo).png().toBuffer()
    await assert.rejects(small.process(job(bytes, 'invert', { resize })), ImageTooManyPixels)
  })

  for (const output of outputFormats) {
    test(`maxBytes holds for random images as ${output}`, async () => {
      const maxBytes = fc.integer({ min: 700, max: 9000 })
      await fc.assert(
        fc.asyncProperty(randomImage, maxBytes, async (image, maxBytes) => {
          const bytes = await createImage(image)
          const { pages: sourcePages = 1 } = await sharp(bytes).metadata()
          const result = await engine.process(job(bytes, '', { steps: [], output, maxBytes }))
          assert.ok(result.bytes.length <= maxBytes, `${result.bytes.length} of ${maxBytes}`)
          const { width, height, pages = 1, pageHeight = height } = await sharp(result.bytes, { pages: -1 }).metadata()
          assert.deepEqual([width, pageHeight, pages], [result.width, result.height, result.frameCount])
          assert.ok(result.width <= image.width && result.height <= image.height)
          // The WebP encoder merges equal frames.
          if (output === 'gif') assert.equal(pages, sourcePages)
        }),
        { numRuns: runs },
      )
    })
  }

  test('maxBytes makes an animation smaller, frame by frame', async () => {
    const bytes = await createImage({ kind: 'noise', width: 90, height: 60, channels: 3, frameCount: 4, seed: 1 })
    for (const output of ['gif', 'webp'] as const) {
      const result = await engine.process(job(bytes, '', { steps: [], output, maxBytes: 2500 }))
      const { width, pageHeight = 0, pages } = await sharp(result.bytes, { pages: -1 }).metadata()
      assert.equal(pages, 4)
      assert.ok(width < 90 && Math.abs(pageHeight - (width * 60) / 90) <= 1, `${width}x${pageHeight}`)
    }
  })

  test('bytes that no image of the format can have are refused', async () => {
    const bytes = await picture(photo).png().toBuffer()
    await assert.rejects(engine.process(job(bytes, 'invert', { maxBytes: 20 })), new CannotFit(20))
  })
})
