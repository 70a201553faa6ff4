import { InvalidParameter, NothingMatches } from '../../../errors/index.ts'
import {
  type Category,
  type Content,
  computeRenderingCost,
  type PickOptions,
  type PictureItem,
} from '../../../features/content/index.ts'
import { buildRangedReply } from '../../kernel/ranges.ts'
import { cache, json, prepareReply, type Reply, redirect, text } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { getMessage, type Item, isList } from './item-json.ts'
import { acceptedPictureTypes, chooseFormat, parseOptions, type RandomQuery } from './query.ts'
import { createReplyPool } from './reply-pool.ts'

/** How one version of the API presents items. */
export interface Presenter {
  /** Writes the JSON as a byte string. `base` precedes the path of a picture. */
  writeJson(category: Category, kind: string, items: Item | readonly Item[], base: string): string
  /** Whether the kind may be `any`. */
  readonly acceptsAny: boolean
  /** Whether the JSON contains the size of pictures, which must be known first. */
  readonly includesSize: boolean
}

const VARY = ['Vary', 'Accept']

/** Creates the handler of one category for one version of the API. */
export function createRandomHandler(content: Content, category: Category, presenter: Presenter) {
  const { writeJson, includesSize, acceptsAny } = presenter
  const isPicture = category === 'animals'
  const plainOptions = { acceptsAny }

  const takeFromPool = createReplyPool({
    build(kind, base) {
      const item = content.pick(category, kind, plainOptions)
      return !includesSize || isComplete(item) ? buildJsonReply(writeJson(category, kind, item, base)) : undefined
    },
    revision: () => content.revision,
  })

  return (kind: string, ctx: RequestContext<unknown, RandomQuery>): Reply | Promise<Reply> => {
    const { query } = ctx
    const base = isPicture ? ctx.baseUrl : ''
    const prepared = hasNoOptions(ctx) ? takeFromPool(kind, base, ctx.startedAt) : undefined
    if (prepared) return prepared
    const format = chooseFormat(ctx, category)
    const options = { ...parseOptions(query), acceptsAny }
    const pickOne = () =>
      isPicture ? pickPicture(ctx.request.headers.accept, kind, options) : content.pick(category, kind, options)
    if (query.count === undefined) {
      if (format === 'image') return sendPicture(pickOne() as PictureItem, ctx)
      if (format === 'redirect') return redirect(getMessage(pickOne(), base), VARY)
    } else if (query.format === 'image' || query.format === 'redirect') {
      throw new InvalidParameter('count', `omitted with format=${format}, because such a reply is one item`)
    }
    const picked =
      query.count === undefined
        ? content.pick(category, kind, options)
        : content.pickMany(category, kind, query.count, options)
    if (format === 'text') return buildTextReply(picked, base)
    const build = (items: Item | readonly Item[]) => buildJsonReply(writeJson(category, kind, items, base))
    return includesSize && isPicture ? complete(picked, ctx).then(build) : build(picked)
  }

  /**
   * `type` is a condition, `Accept` only a preference: if no picture has an accepted type, any picture is better
   * than none (RFC 9110, 12.5.1).
   */
  function pickPicture(accept: string | undefined, kind: string, options: PickOptions): PictureItem {
    try {
      return content.pick('animals', kind, { ...options, types: options.types ?? acceptedPictureTypes(accept) })
    } catch (error) {
      if (error instanceof NothingMatches) return content.pick('animals', kind, options)
      throw error
    }
  }

  async function sendPicture(item: PictureItem, ctx: RequestContext<unknown, RandomQuery>): Promise<Reply> {
    const media = await content.media(item.kind, item.file, ctx.client)
    return buildRangedReply(media, 'all', cache.none, ctx, [...VARY, 'Content-Location', getMessage(item, '')])
  }
}

const REPLY_WITHOUT_BODY = prepareReply(json({}, { cache: cache.none, headers: VARY }))
const buildJsonReply = (body: string): Reply => ({ ...REPLY_WITHOUT_BODY, length: body.length, body })

/** Most clients send no option: they want one random item as JSON. */
function hasNoOptions({ query, request: { headers } }: RequestContext<unknown, RandomQuery>): boolean {
  const { count, seed, type, exclude, format, tags, orientation, avoid } = query
  const hasOption = (count ?? seed ?? type ?? exclude ?? format ?? tags ?? orientation ?? avoid) !== undefined
  return !hasOption && (headers.accept === undefined || headers.accept === '*/*')
}

const toArray = (picked: Item | readonly Item[]): readonly Item[] => (isList(picked) ? picked : [picked])

const isComplete = (item: Item) => 'text' in item || (item.size !== null && item.color !== null)

const costOf = (item: Item) => ('file' in item ? computeRenderingCost(item.file) : 0)

/**
 * One after the other: a client must not fill the queue of image processes with one request, and a client that
 * disconnected gets no more of them.
 */
async function complete(
  picked: Item | readonly Item[],
  ctx: RequestContext<unknown, RandomQuery>,
): Promise<Item | readonly Item[]> {
  const { client, signal } = ctx
  const items: Item[] = []
  // Otherwise one client could occupy all cores within its limit: 50 drawings for each request.
  ctx.charge(toArray(picked).reduce((cost, item) => cost + (isComplete(item) ? 0 : costOf(item)), 0))
  for (const item of toArray(picked)) {
    signal.throwIfAborted()
    items.push('complete' in item && !isComplete(item) ? ((await item.complete?.(client)) ?? item) : item)
  }
  return isList(picked) ? items : items[0]!
}

function buildTextReply(picked: Item | readonly Item[], base: string): Reply {
  const lines = toArray(picked).map((item) => getMessage(item, base))
  return text(lines.join('\n'), 'text/plain; charset=utf-8', { cache: cache.none, headers: VARY })
}
