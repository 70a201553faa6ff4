import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { performance } from 'node:perf_hooks'
import type { Scope } from './scope.ts'

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

/** Requests a thousand ranges of a file 200 times at once. Asserts that the event loop answers a part of them at a time. */
export async function assertRangesInTurns(t: Scope, url: string): Promise<void> {
  const replies = new Map<number, number>()
  const countReply = () => {
    const { loopCount } = performance.nodeTiming.uvMetricsInfo
    replies.set(loopCount, (replies.get(loopCount) ?? 0) + 1)
  }
  subscribe('http.server.response.finish', countReply)
  t.after(() => void unsubscribe('http.server.response.finish', countReply))
  // Outside of the file: such a reply is complete as soon as the ranges are parsed.
  const Range = `bytes=${Array.from({ length: 1000 }, (_, i) => `${1e9 + i}-`).join(',')}`
  const request = async () => (await fetch(url, { headers: { Range } })).status
  assert.deepEqual(await Promise.all(Array.from({ length: 200 }, request)), Array(200).fill(416))
  const most = Math.max(...replies.values())
  assert.ok(most < 100, `${most} of 200 requests in one iteration of the event loop`)
}
