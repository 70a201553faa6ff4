import { InvalidParameter, NothingMatches } from '../../../errors/index.ts'
import type { Category, Content, Item, Wish } from '../../../features/content/index.ts'
import { buildRangedReply } from '../../kernel/ranged.ts'
import { cache, jsonBytes, prepareReply, type Reply, text } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { acceptableTypes, formOf } from './form.ts'
import { readWish } from './options.ts'
import { createReplyPool } from './reply-pool.ts'

export interface RandomQuery {
  readonly count?: number | undefined
  readonly seed?: string | undefined
  readonly type?: string | undefined
  readonly exclude?: string | undefined
  readonly format?: string | undefined
}

/** Writes the JSON of a version around what was picked, as a byte string; `base` is what a picture's path follows. */
export type WriteJson = (category: Category, kind: string, items: Item | readonly Item[], base: string) => string

interface Telling {
  readonly writeJson: WriteJson
  /** It tells how large pictures are. */
  readonly tellsSize: boolean
}

const VARY = ['Vary', 'Accept']

/** How a version answers for one category. */
export function randomEndpoint(content: Content, category: Category, { writeJson, tellsSize }: Telling) {
  const isPicture = category === 'animals'
  const other = isPicture ? 'image' : 'text'

  const takeFromPool = createReplyPool({
    build: (kind, base) => reply(writeJson(category, kind, content.pick(category, kind), base)),
    revision: () => content.revision,
  })

  return (kind: string, ctx: RequestContext<unknown, RandomQuery>): Reply | Promise<Reply> => {
    const { query } = ctx
    const base = isPicture ? ctx.baseUrl : ''
    if (isPlain(ctx)) return takeFromPool(kind, base, ctx.startedAt)
    const form = formOf(ctx, other)
    const wish = readWish(query)
    if (form === 'image' && query.count === undefined) {
      return picture(kind, pickFor(ctx.request.headers.accept, kind, wish), ctx)
    }
    if (query.format === 'image')
      throw new InvalidParameter('count', 'left out with format=image: a reply is one picture')
    const picked =
      query.count === undefined
        ? content.pick(category, kind, wish)
        : content.pickMany(category, kind, query.count, wish)
    if (form === 'text') return plain(picked)
    const answer = () => reply(writeJson(category, kind, picked, base))
    return tellsSize && isPicture ? measured(picked).then(answer) : answer()
  }

  /** `type` is a condition, `Accept` a wish: where no picture is of such a type, any is better than none (RFC 9110, 12.5.1). */
  function pickFor(accept: string | undefined, kind: string, wish: Wish): Item {
    try {
      return content.pick(category, kind, { ...wish, types: wish.types ?? acceptableTypes(accept) })
    } catch (error) {
      if (error instanceof NothingMatches) return content.pick(category, kind, wish)
      throw error
    }
  }

  async function picture(
    kind: string,
    { file = '', message }: Item,
    ctx: RequestContext<unknown, RandomQuery>,
  ): Promise<Reply> {
    const found = await content.media(kind, file)
    return buildRangedReply(found, undefined, cache.none, ctx, [...VARY, 'Content-Location', message])
  }
}

const EMPTY = prepareReply(jsonBytes('', { cache: cache.none, headers: VARY }))
const reply = (body: string): Reply => ({ ...EMPTY, length: body.length, body })

/** Most clients send no option: one random item as JSON. */
function isPlain({ query, request: { headers } }: RequestContext<unknown, RandomQuery>): boolean {
  const { count, seed, type, exclude, format } = query
  const hasOption = (count ?? seed ?? type ?? exclude ?? format) !== undefined
  return !hasOption && (headers.accept === undefined || headers.accept === '*/*')
}

async function measured(picked: Item | readonly Item[]): Promise<void> {
  const items = 'message' in picked ? [picked] : picked
  await Promise.all(items.map((item) => item.measure?.()))
}

function plain(picked: Item | readonly Item[]): Reply {
  const body = 'message' in picked ? picked.message : picked.map(({ message }) => message).join('\n')
  return text(body, 'text/plain; charset=utf-8', { cache: cache.none, headers: VARY })
}
