import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { negotiateEncoding } from './negotiate.ts'
import { type Encoding, prepareReply, type Reply } from './replies.ts'

/** The preferred one first. */
const ENCODINGS: readonly Encoding[] = ['br', 'gzip']

/** Also needed for the 304 of such a reply. */
export const VARY_ENCODING = ['Vary', 'Accept-Encoding']
/** A shorter body fits into one packet anyway. */
const MIN_BYTES = 1000
/** Takes about as long as gzip, and the result is smaller. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Compressed forms of replies that are sent many times. */
const encodedReplies = new WeakMap<Reply, Partial<Record<Encoding, Reply>>>()

/** Returns a reply that is sent compressed to clients that accept it. Its body must be complete, and not secret. */
export function compressible(reply: Reply, encode = (encoding: Encoding) => compress(reply.body, encoding)): Reply {
  if ((reply.length ?? 0) < MIN_BYTES) return reply
  const hasVary = reply.headers.includes('Accept-Encoding')
  return { ...reply, headers: hasVary ? reply.headers : [...reply.headers, ...VARY_ENCODING], encode }
}

function compress(body: Reply['body'], encoding: Encoding): Uint8Array {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : (body as Uint8Array)
  // A copy: Node returns a part of a buffer of up to 64 KiB, all of which a cached reply would keep in memory.
  return new Uint8Array(encoding === 'br' ? brotliCompressSync(bytes, BROTLI) : gzipSync(bytes))
}

/** The form of the reply that the client prefers. Each is made once. */
export function encodeReply(reply: Reply, acceptEncoding: string | undefined): Reply {
  const encoding = reply.encode && negotiateEncoding(acceptEncoding, ENCODINGS)
  if (!encoding) return reply
  const known = encodedReplies.get(reply) ?? {}
  encodedReplies.set(reply, known)
  known[encoding] ??= buildEncoded(reply, encoding)
  return known[encoding]
}

function buildEncoded(
  { headerText: _, notModifiedHeaderText: __, encode, ...reply }: Reply,
  encoding: Encoding,
): Reply {
  const body = encode!(encoding)
  // Each form has its own ETag (RFC 9110, 8.8.3.3).
  const etag = reply.etag && `${reply.etag.slice(0, -1)}-${encoding}"`
  const headers = ['Content-Encoding', encoding]
  for (let i = 0; i < reply.headers.length; i += 2) {
    const [name = '', value = ''] = reply.headers.slice(i, i + 2)
    // A range would be of the body that is not compressed.
    if (name !== 'Accept-Ranges') headers.push(name, name === 'ETag' && etag ? etag : value)
  }
  return prepareReply({ ...reply, headers, body, length: body.length, etag })
}
