import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { UnknownFile } from '../../../errors/index.ts'
import { bytes, cache, type Encoding, prepareReply, type Reply } from '../../kernel/replies.ts'
import { compressible } from '../../kernel/send.ts'

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}
/** Their content is compressed. */
const COMPRESSED_TYPES = ['.woff2']

/** A worker has the policy of its own script, not that of the page. This one sends no request. */
const POLICIES: Record<string, Pick<Reply, 'contentSecurityPolicy'>> = {
  'playground-worker.js': {
    contentSecurityPolicy: "default-src 'none'; script-src 'wasm-unsafe-eval'; frame-ancestors 'none'",
  },
}

interface Asset {
  readonly digest: string
  readonly identity: Buffer
  /** Undefined if the content is compressed already. */
  readonly encoded: Record<Encoding, Buffer> | undefined
}

/** Built scripts, styles and fonts, read on first use and cached. */
export class Assets {
  readonly #dir: string
  readonly #names: readonly string[]
  readonly #page: string
  readonly #assets = new Map<string, Promise<Asset>>()
  readonly #replies = new Map<string, Reply>()

  /** `page` is named in the error for an unknown file. */
  constructor(dir: string, names: readonly string[], page: string) {
    this.#dir = dir
    this.#names = names
    this.#page = page
  }

  /** The name with the digest of the content: such a URL can be cached forever. */
  async urlOf(name: string): Promise<string> {
    return `${name}?v=${(await this.#asset(name)).digest}`
  }

  /** `digest` comes from the requested URL. */
  async reply(name: string, digest?: string): Promise<Reply> {
    const asset = await this.#asset(name)
    const policy = digest === asset.digest ? cache.immutable : cache.short
    const key = [name, policy].join()
    const reply = this.#replies.get(key) ?? buildReply(name, asset, policy)
    this.#replies.set(key, reply)
    return reply
  }

  #asset(name: string): Promise<Asset> {
    if (!this.#names.includes(name)) throw new UnknownFile(this.#page)
    const known = this.#assets.get(name)
    if (known) return known
    const reading = read(join(this.#dir, name))
    this.#assets.set(name, reading)
    reading.catch(() => this.#assets.delete(name))
    return reading
  }
}

/** Of a file of the pages: the value of `v` in its URL. */
export const computeDigest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64url').slice(0, 12)

async function read(file: string): Promise<Asset> {
  const isCompressed = COMPRESSED_TYPES.includes(extname(file))
  const readEncoded = async () => ({ br: await readFile(`${file}.br`), gzip: await readFile(`${file}.gz`) })
  const [identity, encoded] = await Promise.all([readFile(file), isCompressed ? undefined : readEncoded()])
  return { identity, encoded, digest: computeDigest(identity) }
}

function buildReply(name: string, { identity, encoded }: Asset, policy: string): Reply {
  const type = TYPES[extname(name)] ?? 'application/octet-stream'
  const reply = { ...bytes(identity, type, { cache: policy }), ...POLICIES[name] }
  return prepareReply(encoded ? compressible(reply, (encoding) => encoded[encoding]) : reply)
}
