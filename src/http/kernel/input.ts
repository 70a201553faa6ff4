// Reads and validates what a client sends: query parameters, JSON bodies and the headers that choose a format.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TObject, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { BodyTooLarge, InvalidBody, InvalidParameter, RepeatedParameter, UnknownParameter } from '../../errors/index.ts'
import type { RequestContext } from './request-context.ts'
import type { Fields } from './route.ts'

/**
 * Compiled once per route. A request that changes something must not have unknown parameters: with `?dryrun=true` it
 * would not be a dry run.
 */
export function createQueryReader(fields: Fields = {}, refusesUnknown = false) {
  const parsers = Object.entries(fields).map(([name, schema]) => ({ name, parse: createParser(name, schema) }))
  return (raw: Record<string, string | string[] | undefined>) => {
    const unknown = refusesUnknown ? Object.keys(raw).find((name) => !Object.hasOwn(fields, name)) : undefined
    if (unknown !== undefined) throw new UnknownParameter(unknown, Object.keys(fields))
    const values: Record<string, unknown> = {}
    for (const { name, parse } of parsers) {
      const text = raw[name]
      if (text === undefined) continue
      if (typeof text !== 'string') throw new RepeatedParameter(name)
      values[name] = parse(text)
    }
    return values
  }
}

// Number() would also accept '', ' 5 ', '0x10' and 'Infinity'.
const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/

export interface ParameterSchema {
  readonly description?: string
  readonly type?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  /** For error messages, if the schema has a pattern. */
  readonly rule?: string
  /** The endpoint validates the text itself, with its own errors. */
  readonly readAs?: 'text'
  /** For the OpenAPI document. The endpoint itself rejects requests without the parameter, with its own error. */
  readonly isRequired?: boolean
}

function createParser(name: string, schema: TSchema): (text: string) => unknown {
  const { readAs, type } = schema as ParameterSchema
  if (readAs === 'text') return (text) => text
  const isNumeric = type === 'integer' || type === 'number'
  const { rule, details } = describeRule(schema)
  const compiled = Compile(schema)
  return (text) => {
    const value = isNumeric ? (NUMBER.test(text) ? Number(text) : Number.NaN) : text
    if (!compiled.Check(value)) throw new InvalidParameter(name, rule, details)
    return value
  }
}

function describeRule(schema: TSchema): { rule: string; details: Record<string, unknown> } {
  const { type, enum: allowed, minimum: min, maximum: max, maxLength, minLength = 0, rule } = schema as ParameterSchema
  if (rule) return { rule, details: {} }
  if (allowed) return { rule: `one of ${allowed.join(', ')}`, details: { allowed } }
  const range = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`
  if (type === 'integer') return { rule: `a whole number ${range}`, details: { min, max } }
  if (type === 'number') return { rule: `a number ${range}`, details: { min, max } }
  return { rule: `text of ${minLength} to ${maxLength} characters`, details: { min: minLength, max: maxLength } }
}

export const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** On average, in a body of more than MAX_TINY_CHUNKS. A chunk takes about as long as a kilobyte. */
const MIN_CHUNK_BYTES = 64
/** An IPv6 site may have 4000 connections. More of these chunks on all of them would occupy the service for seconds. */
const MAX_TINY_CHUNKS = 32

/** Calls `onTiny` when the chunks of a body are too small, also before the handler reads it. The rest is dropped. */
export function watchChunks(request: IncomingMessage, onTiny: (socket: Socket) => void): void {
  if (request.headers['transfer-encoding'] === undefined) return
  // A request whose reader stopped before its end has no socket later.
  const { push, socket } = request
  let [count, bytes, isTiny] = [0, 0, false]
  request.push = (chunk: Uint8Array | null) => {
    if (isTiny) return false
    if (chunk) [count, bytes] = [count + 1, bytes + chunk.length]
    isTiny = count > MAX_TINY_CHUNKS && bytes < count * MIN_CHUNK_BYTES
    if (!isTiny) return push.call(request, chunk)
    // Node does not tell the reader if CONNECT follows: its open file would end the process when it is collected.
    socket.once('close', () => request.destroy())
    onTiny(socket)
    return false
  }
}

const MAX_BODY_BYTES = 16 * 1024
/** A longer body counts as more requests: to parse it and to find all errors in it takes up to 10 ms per KiB. */
const CHARGED_BYTES = 1024
/** Bodies may arrive in chunks of one byte, which take 190 bytes of memory each: above this number they are joined. */
const MAX_CHUNKS = 32
/** A request that is not read to its end stays connected: it still gets a reply. */
const readChunks = (request: IncomingMessage): AsyncIterable<Buffer> => request.iterator({ destroyOnReturn: false })

/** Reads the body of a request that is refused, as far as one with a valid body would be read. */
export async function readRefusedBody(ctx: RequestContext): Promise<string> {
  let text = ''
  try {
    for await (const chunk of readChunks(ctx.request)) {
      text += chunk.toString('latin1')
      if (text.length > MAX_BODY_BYTES) break
    }
  } catch {}
  await ctx.waitForTurn()
  return text
}

/**
 * Reads a JSON object. A body that is too large is rejected while it arrives. With a schema, fields that it does not
 * have are rejected: `{"for": "1h"}` must not ban for the default time. The last bytes of many bodies may arrive together,
 * so clients take turns after that. A body with a limit of its own, which operators send, is not charged.
 */
export async function readBody(ctx: RequestContext, schema?: TObject, maxBytes = MAX_BODY_BYTES) {
  const { request } = ctx
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new InvalidBody('The body must be JSON, with "Content-Type: application/json".')
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of readChunks(request)) {
    length += chunk.length
    if (length > maxBytes) throw new BodyTooLarge(maxBytes)
    chunks.push(chunk)
    if (chunks.length > MAX_CHUNKS) chunks.splice(0, chunks.length, Buffer.concat(chunks))
  }
  await ctx.waitForTurn()
  if (maxBytes === MAX_BODY_BYTES) ctx.charge(Math.ceil(length / CHARGED_BYTES))
  const value = parseObject(Buffer.concat(chunks))
  if (value === undefined) throw new InvalidBody('The body must be a JSON object.')
  if (schema) rejectUnknownFields(value, schema)
  return value
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return value instanceof Object && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

const MAX_SHOWN_NAME = 80

function rejectUnknownFields(value: object, { properties }: TObject): void {
  const allowed = Object.keys(properties)
  const field = Object.keys(value)
    .find((name) => !allowed.includes(name))
    ?.slice(0, MAX_SHOWN_NAME)
  if (field === undefined) return
  const fields = allowed.length > 0 ? `Use ${allowed.join(', ')}.` : 'It takes no fields.'
  throw new InvalidBody(`"${field}" is not a field of this request. ${fields}`, { field, allowed })
}

/**
 * Returns the offered type that the `Accept` header prefers, or undefined if none is acceptable. Without a preference
 * (no header, or `*` for both parts) it is the first of `offered`.
 */
export function negotiate<const T extends string>(accept: string | undefined, offered: readonly T[]): T | undefined {
  // What nearly all programs send.
  if (accept === undefined || accept === '' || accept === '*/*') return offered[0]
  const preferences = parseAccept(accept)
  let best: { type: T; quality: number; rank: number } | undefined
  for (const type of offered) {
    const rank = preferences.findIndex(({ matches }) => matches(type))
    const quality = preferences[rank]?.quality ?? 0
    if (quality === 0) continue
    const isBetter = !best || quality > best.quality || (quality === best.quality && rank < best.rank)
    if (isBetter) best = { type, quality, rank }
  }
  return best?.type
}

/** For replies whose format `negotiate` chose. */
export const VARY_BY_ACCEPT = ['Vary', 'Accept']

/** What decides between a page and the reply for programs. */
export const NAVIGATION_HEADERS = 'Accept, Sec-Fetch-Dest'

/** Whether a browser opens the URL as a page. It sends `Sec-Fetch-*` only over HTTPS and to its own machine. */
export const isNavigation = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  (headers['sec-fetch-dest'] ?? 'document') === 'document' &&
  negotiate(headers.accept, ['application/json', 'text/html']) === 'text/html'

const MAX_PREFERENCES = 32
/** Parts of one preference: the media range and its parameters. */
const MAX_PARTS = 8
/** Browsers send fewer. */
const MAX_LANGUAGES = 16
/** RFC 5646 recommends space for 35 characters. */
const MAX_LANGUAGE_TAG = 35

// The most precise preferences come first: `image/webp, */*` prefers the image.
const parseAccept = (accept: string) =>
  accept
    .split(',', MAX_PREFERENCES)
    .map(parsePreference)
    .sort((a, b) => b.precision - a.precision)

function parsePreference(text: string) {
  const [range = '', ...parameters] = text.split(';', MAX_PARTS).map((word) => word.trim().toLowerCase())
  const quality = Number(parameters.find((word) => word.startsWith('q='))?.slice(2) ?? 1)
  const isValid = quality >= 0 && quality <= 1
  const family = range.endsWith('/*') ? range.slice(0, -1) : undefined
  return {
    range,
    quality: isValid ? quality : 0,
    precision: range === '*/*' ? 0 : family ? 1 : 2,
    matches: (type: string) => range === '*/*' || type === range || (family !== undefined && type.startsWith(family)),
  }
}

/** The first encoding that an `Accept-Encoding` header accepts, or undefined: the body is sent as it is. */
export function negotiateEncoding<const T extends string>(header: string | undefined, offered: readonly T[]) {
  if (header === undefined) return undefined
  const preferences = header.split(',', MAX_PREFERENCES).map(parsePreference)
  return offered.find((encoding) => preferences.some(({ range, quality }) => range === encoding && quality > 0))
}

/** The language tags of an `Accept-Language` header, the preferred one first. Tags that cannot exist are left out. */
export function parseAcceptLanguage(header: string): string[] {
  return header
    .split(',', MAX_LANGUAGES)
    .map(parsePreference)
    .filter(({ quality, range }) => quality > 0 && range.length <= MAX_LANGUAGE_TAG)
    .sort((a, b) => b.quality - a.quality)
    .map(({ range }) => range)
}
