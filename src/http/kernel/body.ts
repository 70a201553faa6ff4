import type { IncomingMessage } from 'node:http'
import { BodyTooLarge, InvalidBody } from '../../errors/index.ts'

const LARGEST_BODY = 16 * 1024

/** The JSON object that a caller sent; small by nature, so a large one is refused while it arrives. */
export async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new InvalidBody('The body must be JSON, with "Content-Type: application/json".')
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length > LARGEST_BODY) throw new BodyTooLarge(LARGEST_BODY)
    parts.push(part)
  }
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)))
    if (value instanceof Object && !Array.isArray(value)) return value
  } catch {}
  throw new InvalidBody('The body must be a JSON object.')
}
