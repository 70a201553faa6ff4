import type { Category, Content, Item } from '../../content/index.ts'
import { InvalidParameter } from '../../errors.ts'
import { type Exchange, NONE } from '../exchange.ts'
import { rangedReply } from '../ranged.ts'
import { cache, jsonBytes, type Reply, text } from '../replies.ts'
import { acceptableTypes, formOf } from './form.ts'
import { createReady } from './ready.ts'
import { readWish } from './wishes.ts'

export interface RandomQuery {
  readonly count?: number | undefined
  readonly seed?: string | undefined
  readonly type?: string | undefined
  readonly exclude?: string | undefined
  readonly format?: string | undefined
}

/** Writes the JSON of a version around what was picked, as a byte string; `base` is what a picture's path follows. */
export type WriteJson = (category: Category, kind: string, items: Item | readonly Item[], base: string) => string

const VARY = ['Vary', 'Accept']

/** How a version answers for one category. */
export function randomEndpoint(content: Content, category: Category, writeJson: WriteJson) {
  const isPicture = category === 'animals'
  const other = isPicture ? 'image' : 'text'

  const ready = createReady({
    make: (kind, base) => reply(writeJson(category, kind, content.pick(category, kind), base)),
    revision: () => content.revision,
  })

  return (kind: string, exchange: Exchange<unknown, RandomQuery>): Reply | Promise<Reply> => {
    const { query } = exchange
    const base = isPicture ? exchange.baseUrl : ''
    if (isPlain(exchange)) return ready(kind, base, exchange.startedAt)
    const form = formOf(exchange, other)
    const wish = readWish(query)
    if (form === 'image' && query.count === undefined) {
      const types = wish.types ?? acceptableTypes(exchange.request.headers.accept)
      return picture(kind, content.pick(category, kind, { ...wish, types }), exchange)
    }
    if (query.format === 'image')
      throw new InvalidParameter('count', 'left out with format=image: a reply is one picture')
    const picked =
      query.count === undefined
        ? content.pick(category, kind, wish)
        : content.pickMany(category, kind, query.count, wish)
    if (form === 'text') return plain(picked)
    return reply(writeJson(category, kind, picked, base))
  }

  async function picture(
    kind: string,
    { file = '', message }: Item,
    exchange: Exchange<unknown, RandomQuery>,
  ): Promise<Reply> {
    const found = await content.media(kind, file)
    return rangedReply(found, undefined, cache.none, exchange, [...VARY, 'Content-Location', message])
  }
}

const EMPTY = jsonBytes('', { cache: cache.none, headers: VARY, prepared: true })
const reply = (body: string): Reply => ({ ...EMPTY, length: body.length, body })

/** Without any wish, as nearly all programs ask. */
function isPlain({ query, request: { headers } }: Exchange<unknown, RandomQuery>): boolean {
  return query === NONE && (headers.accept === undefined || headers.accept === '*/*')
}

function plain(picked: Item | readonly Item[]): Reply {
  const body = 'message' in picked ? picked.message : picked.map(({ message }) => message).join('\n')
  return text(body, 'text/plain; charset=utf-8', { cache: cache.none, headers: VARY })
}
