import Type from 'typebox'
import * as errors from '../../../errors/index.ts'
import type { Tokens } from '../../../features/access/index.ts'
import type { Publisher, UploadPart, Uploads } from '../../../features/publishing/index.ts'
import { cache, success } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { get, put, type Route } from '../../kernel/route.ts'
import { Bytes, Sha256, SuccessReply, Text } from '../../kernel/schemas.ts'
import { publishScope } from './scopes.ts'

const SHA256 = /^[0-9a-f]{64}$/

/** Some programs print it in upper case. */
function parseSha256(text: string): string {
  const sha256 = text.toLowerCase()
  if (!SHA256.test(sha256)) throw new errors.InvalidParameter('sha256', 'a SHA-256 of 64 hexadecimal digits')
  return sha256
}

const spec = {
  ...publishScope,
  params: { sha256: Sha256 },
  replyHeaders: {
    'Upload-Offset': Type.Integer({ minimum: 0, description: 'Number of bytes received.' }),
    'Upload-Complete': Type.Enum(['?1', '?0'], { description: '`?1` if the upload is complete.' }),
  },
  reply: SuccessReply({
    sha256: Sha256,
    bytes: Bytes,
    complete: Type.Boolean({ description: 'Whether all bytes were received and have this SHA-256.', examples: [true] }),
  }),
}

interface UploadServices {
  readonly uploads: Uploads
  readonly publisher: Pick<Publisher, 'shareUpload'>
  readonly tokens: Tokens
}

export const buildUploadRoutes = ({ uploads, publisher, tokens }: UploadServices): Route[] => [
  get('/uploads/:sha256', {
    ...spec,
    summary: 'Progress of an upload',
    errors: [errors.InvalidParameter, errors.UnknownUpload],
    handle: async ({ params }) => {
      const sha256 = parseSha256(params.sha256)
      const found = await uploads.find(sha256)
      if (!found) throw new errors.UnknownUpload()
      return buildReply(sha256, found)
    },
  }),
  put('/uploads/:sha256', {
    ...spec,
    receivesFile: true,
    summary: 'Send a file that a later request publishes',
    description:
      'The body is the file, or a part of it with `Content-Range: bytes 0-999/5000`. If the connection breaks, ' +
      'a HEAD request returns how many bytes were received. Send the rest.',
    headers: { 'Content-Range': Text('The part of the file that the body contains.') },
    errors: [
      errors.InvalidParameter,
      errors.BodyTooLarge,
      errors.InvalidContentRange,
      errors.UploadOffset,
      errors.UploadDigest,
      errors.StorageFull,
    ],
    handle: async (ctx) => {
      const sha256 = parseSha256(ctx.params.sha256)
      const { id } = await tokens.authenticate(ctx.header('authorization'), 'publish')
      const state = await uploads.receive(sha256, ctx.request, readPart(ctx), id)
      if (state.complete) await publisher.shareUpload(sha256)
      return buildReply(sha256, state)
    },
  }),
]

const buildReply = (sha256: string, { bytes, complete }: { bytes: number; complete: boolean }) =>
  success(
    { sha256, bytes, complete },
    { cache: cache.none, headers: ['Upload-Offset', String(bytes), 'Upload-Complete', complete ? '?1' : '?0'] },
  )

const CONTENT_RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/

function readPart(ctx: RequestContext): UploadPart {
  const contentLength = ctx.header('content-length')
  const length = contentLength === undefined ? undefined : Number(contentLength)
  const text = ctx.header('content-range')
  if (text === undefined) return { start: 0, end: length, total: length }
  const [start, last, total] = (CONTENT_RANGE.exec(text) ?? []).slice(1).map(Number)
  if (start === undefined || last === undefined || total === undefined || start > last || last >= total)
    throw new errors.InvalidContentRange(
      'Content-Range must have the form "bytes 0-999/5000": first byte, last byte and size.',
    )
  if (length !== undefined && length !== last + 1 - start)
    throw new errors.InvalidContentRange(`The body has ${length} bytes, but Content-Range states ${last + 1 - start}.`)
  return { start, end: last + 1, total }
}
