import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { UnknownFile } from '../../errors.ts'
import type { Exchange } from '../exchange.ts'
import { bytes, cache, type Reply } from '../replies.ts'

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

type Encoding = 'br' | 'identity'

/** Built scripts and styles, each read when it is first asked for and kept. */
export class Assets {
  readonly #dir: string
  readonly #names: readonly string[]
  readonly #ready = new Map<string, Promise<Reply>>()

  constructor(dir: string, names: readonly string[]) {
    this.#dir = dir
    this.#names = names
  }

  reply(name: string, exchange: Exchange): Promise<Reply> {
    if (!this.#names.includes(name)) throw new UnknownFile('/docs')
    const encoding: Encoding = /\bbr\b/.test(exchange.header('accept-encoding') ?? '') ? 'br' : 'identity'
    const key = `${name} ${encoding}`
    const known = this.#ready.get(key)
    if (known) return known
    const made = this.#read(name, encoding)
    this.#ready.set(key, made)
    made.catch(() => this.#ready.delete(key))
    return made
  }

  async #read(name: string, encoding: Encoding): Promise<Reply> {
    const body = await readFile(join(this.#dir, encoding === 'br' ? `${name}.br` : name))
    const encoded = encoding === 'br' ? ['Content-Encoding', 'br'] : []
    const type = TYPES[extname(name)] ?? 'application/octet-stream'
    return bytes(body, type, { cache: cache.short, headers: ['Vary', 'Accept-Encoding', ...encoded] })
  }
}
