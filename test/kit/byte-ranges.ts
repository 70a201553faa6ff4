import assert from 'node:assert/strict'

export interface Part {
  readonly start: number
  readonly end: number
  readonly size: number
  readonly bytes: Buffer
}

const CONTENT_RANGE = /^bytes (\d+)-(\d+)\/(\d+)$/

/** Reads a 206: the parts of `multipart/byteranges`, or the only part. Asserts that it is complete. */
export async function readParts(reply: Response): Promise<Part[]> {
  assert.equal(reply.status, 206)
  const body = Buffer.from(await reply.bytes())
  assert.equal(reply.headers.get('content-length'), String(body.length))
  const only = reply.headers.get('content-range')
  const boundary = /^multipart\/byteranges; boundary=([\w-]+)$/.exec(reply.headers.get('content-type') ?? '')?.[1]
  assert.equal(boundary === undefined, only !== null, 'only the parts of a multipart reply have a Content-Range')
  if (only !== null) return [{ ...parseContentRange(only), bytes: body }]
  const [preamble, ...parts] = body.toString('latin1').split(`--${boundary}`)
  assert.equal(preamble, '')
  assert.equal(parts.pop(), '--\r\n')
  return parts.map((part) => {
    const [, head = '', content = ''] = /^\r\n(.*?)\r\n\r\n(.*)\r\n$/s.exec(part) ?? assert.fail('not a part')
    const headers = new Headers(head.split('\r\n').map((line) => line.split(': ') as [string, string]))
    assert.ok(headers.get('content-type'))
    return { ...parseContentRange(headers.get('content-range') ?? ''), bytes: Buffer.from(content, 'latin1') }
  })
}

function parseContentRange(text: string) {
  const [start, end, size] = (CONTENT_RANGE.exec(text) ?? assert.fail(text)).slice(1).map(Number)
  return { start: start!, end: end!, size: size! }
}
