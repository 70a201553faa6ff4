import { InvalidParameter, NothingMatches } from '../../../errors/index.ts'
import type { Category, Content, PickOptions, PictureItem } from '../../../features/content/index.ts'
import { buildRangedReply } from '../../kernel/ranges.ts'
import { cache, jsonBytes, prepareReply, type Reply, text } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { acceptableTypes, formOf } from './form.ts'
import { type Item, isMany, messageOf } from './item-json.ts'
import { readPickOptions } from './options.ts'
import { createReplyPool } from './reply-pool.ts'

export interface RandomQuery {
  readonly count?: number | undefined
  readonly seed?: string | undefined
  readonly type?: string | undefined
  readonly exclude?: string | undefined
  readonly format?: string | undefined
}

/** Writes the reply of an API version as a byte string; URLs of pictures start with `base`. */
export type WriteJson = (category: Category, kind: string, items: Item | readonly Item[], base: string) => string

interface ReplyFormat {
  readonly writeJson: WriteJson
  /** Replies include the size of pictures. */
  readonly includesSize: boolean
}

const VARY = ['Vary', 'Accept']

/** How a version answers for one category. */
export function randomEndpoint(content: Content, category: Category, { writeJson, includesSize }: ReplyFormat) {
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
    const options = readPickOptions(query)
    if (form === 'image' && query.count === undefined) {
      return sendPicture(pickPicture(ctx.request.headers.accept, kind, options), ctx)
    }
    if (query.format === 'image')
      throw new InvalidParameter('count', 'left out with format=image: a reply is one picture')
    const picked =
      query.count === undefined
        ? content.pick(category, kind, options)
        : content.pickMany(category, kind, query.count, options)
    if (form === 'text') return plain(picked)
    const answer = () => reply(writeJson(category, kind, picked, base))
    return includesSize && isPicture ? measure(picked).then(answer) : answer()
  }

  /** `type` is a condition, `Accept` a preference: if no picture has an accepted type, any is better than none (RFC 9110, 12.5.1). */
  function pickPicture(accept: string | undefined, kind: string, options: PickOptions): PictureItem {
    try {
      return content.pick('animals', kind, { ...options, types: options.types ?? acceptableTypes(accept) })
    } catch (error) {
      if (error instanceof NothingMatches) return content.pick('animals', kind, options)
      throw error
    }
  }

  async function sendPicture(item: PictureItem, ctx: RequestContext<unknown, RandomQuery>): Promise<Reply> {
    const media = await content.media(item.kind, item.file)
    return buildRangedReply(media, undefined, cache.none, ctx, [...VARY, 'Content-Location', messageOf(item, '')])
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

const toArray = (picked: Item | readonly Item[]): readonly Item[] => (isMany(picked) ? picked : [picked])

async function measure(picked: Item | readonly Item[]): Promise<void> {
  await Promise.all(toArray(picked).map((item) => ('measure' in item ? item.measure?.() : undefined)))
}

function plain(picked: Item | readonly Item[]): Reply {
  const lines = toArray(picked).map((item) => messageOf(item, ''))
  return text(lines.join('\n'), 'text/plain; charset=utf-8', { cache: cache.none, headers: VARY })
}
