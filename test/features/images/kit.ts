import type { IncomingMessage, ServerResponse } from 'node:http'
import sharp from 'sharp'
import {
  createImages,
  type FilterRequest,
  type FilterRequestOptions,
  type ImageJob,
  type ImagesOptions,
} from '../../../src/features/images/index.ts'
import { createFetcher, type FetcherOptions } from '../../../src/platform/net/index.ts'
import type { Scope } from '../../kit/scope.ts'
import { type Source, startSource } from '../../kit/source.ts'

export const makePicture = (colour = '#336699') =>
  sharp({ create: { width: 8, height: 6, channels: 3, background: colour } })
    .png()
    .toBuffer()

/** A small engine on the main thread: every filter inverts. Records its runs. */
export function smallEngine() {
  const runs: string[] = []
  const engine: ImagesOptions['engine'] = {
    announce: () => new DisposableStack(),
    async process({ bytes, steps, output }: ImageJob, signal) {
      runs.push(...steps.map(({ filter }) => filter))
      const picture = sharp(bytes).negate({ alpha: false })
      const { data, info } = await picture.toFormat(output ?? 'png').toBuffer({ resolveWithObject: true })
      signal?.throwIfAborted()
      const { width, height } = info
      const timings = { decode: 1, filter: 2, encode: 3 }
      return { bytes: data, type: `image/${info.format}`, width, height, frameCount: 1, timings }
    },
  }
  return { ...engine, runs }
}

type GivenRequest = Partial<FilterRequest & FilterRequestOptions> & { filter?: string; strength?: number }

type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void

/** Images over a real source on loopback that sends what `answer` decides. */
export async function startImages(
  t: Scope,
  answer: Answer,
  options: Partial<ImagesOptions> & { fetching?: Partial<FetcherOptions> } = {},
) {
  const requestedPaths: string[] = []
  const source: Source = await startSource(t, (request, response) => {
    requestedPaths.push(request.url!)
    answer(request, response, requestedPaths.length)
  })
  const engine = smallEngine()
  const fetcher = createFetcher({ allowHosts: [source.host], totalTimeoutMs: 20_000, ...options.fetching })
  const images = createImages({ fetcher, engine, version: '1', ...options })
  t.after(() => images.close())
  const variant = { steps: [{ filter: 'invert', strength: undefined }], resize: undefined, maxBytes: undefined }
  const request = { ...variant, output: undefined, imageUrl: source.url('/a.png') }
  /** Does what the endpoint does. */
  const filterImage = async ({ filter = 'invert', strength, ...given }: GivenRequest = {}) => {
    const options = { client: '192.0.2.1', signal: new AbortController().signal, ...given }
    const prepared = images.prepare({
      ...request,
      steps: [{ filter, strength }],
      ...given,
    })
    return prepared.findCached(options.ifNoneMatch) ?? (await prepared.run(options))
  }
  return { images, request, filterImage, fetcher, source, engine, requestedPaths }
}
