import { InvalidParameter, NothingMatches } from '../../../errors/index.ts'
import type { Category, Content, PickOptions, PictureItem } from '../../../features/content/index.ts'
import { computeRenderingCost, computeSearchCost } from '../../../features/content/index.ts'
import { VARY_BY_ACCEPT } from '../../kernel/input.ts'
import { buildRangedReply } from '../../kernel/ranges.ts'
import { cache, json, prepareReply, type Reply, redirect, text } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import { getMessage, type Item, isList } from '../item-replies.ts'
import { acceptedPictureTypes, chooseFormat, parseOptions, type RandomQuery } from './query.ts'

/** How one version of the API presents items. */
export interface Presenter {
  /** Writes the JSON as a byte string. `base` precedes the path of a picture. */
  writeJson(category: Category, kind: string, items: Item | readonly Item[], base: string): string
  /** Whether the kind may be `any`. */
  readonly acceptsAny: boolean
  /** Whether the JSON contains the size of pictures, which must be known first. */
  readonly includesSize: boolean
}

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
    const base = isPicture ? ctx.baseUrl : ''
    const prepared = hasNoOptions(ctx) ? takeFromPool(kind, base, ctx.startedAt) : undefined
    if (prepared) return prepared
    return choose(kind, base, ctx)
  }

  function choose(kind: string, base: string, ctx: RequestContext<unknown, RandomQuery>) {
    const { query } = ctx
    const options = { ...parseOptions(query), acceptsAny }
    const format = chooseFormat(ctx, category)
    const search = <T>(find: () => T): T => {
      try {
        return find()
      } finally {
        ctx.charge(computeSearchCost(options.effort))
      }
    }
    const pickOne = () =>
      search(() =>
        isPicture ? pickPicture(ctx.request.headers.accept, kind, options) : content.pick(category, kind, options),
      )
    if (query.count === undefined) {
      if (format === 'image') return sendPicture(pickOne() as PictureItem, ctx)
      if (format === 'redirect') return redirect(getMessage(pickOne(), base), VARY_BY_ACCEPT)
    } else if (query.format === 'image' || query.format === 'redirect') {
      throw new InvalidParameter('count', `omitted with format=${format}, because such a reply is one item`)
    }
    const { count } = query
    const picked = search(() =>
      count === undefined ? content.pick(category, kind, options) : content.pickMany(category, kind, count, options),
    )
    if (format === 'text') return buildTextReply(picked, base)
    const build = (items: Item | readonly Item[]) => buildJsonReply(writeJson(category, kind, items, base))
    return includesSize && isPicture ? complete(picked, ctx).then(build) : build(picked)
  }

  /**
   * `type` is a condition, `Accept` only a preference: if no picture has an accepted type, any picture is better than
   * none (RFC 9110, 12.5.1).
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
    return buildRangedReply(media, 'all', cache.none, ctx, [
      ...VARY_BY_ACCEPT,
      'Content-Location',
      getMessage(item, ''),
    ])
  }
}

const REPLY_WITHOUT_BODY = prepareReply(json({}, { cache: cache.none, headers: VARY_BY_ACCEPT }))
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
async function complete(picked: Item | readonly Item[], ctx: RequestContext<unknown, RandomQuery>) {
  const items: Item[] = []
  // Otherwise one client could occupy all cores within its limit: 50 drawings for each request.
  ctx.charge(toArray(picked).reduce((cost, item) => cost + (isComplete(item) ? 0 : costOf(item)), 0))
  for (const item of toArray(picked)) {
    const isReady = isComplete(item)
    if (!isReady) await ctx.waitForTurn()
    items.push('complete' in item && !isReady ? ((await item.complete?.(ctx.client)) ?? item) : item)
  }
  return isList(picked) ? items : items[0]!
}

function buildTextReply(picked: Item | readonly Item[], base: string): Reply {
  const lines = toArray(picked).map((item) => getMessage(item, base))
  return text(lines.join('\n'), 'text/plain; charset=utf-8', { cache: cache.none, headers: VARY_BY_ACCEPT })
}

const MAX_BATCH = 64
/** Two batches within this time mean high load. */
const HIGH_LOAD_MS = 20

interface Batch {
  /** Each is sent once. */
  readonly replies: Reply[]
  readonly base: string
  readonly revision: number
  readonly builtAt: number
  readonly size: number
}

interface ReplyPoolOptions {
  /** Undefined if a reply takes time to build. */
  build(kind: string, base: string): Reply | undefined
  /** Changes when the content changes. */
  revision(): number
}

/**
 * Builds random replies in batches under high load. This is not a cache: each reply is sent once. Between two requests
 * the processor's caches fill with the operating system's network code, so building a single reply costs several times
 * what it costs inside a batch. A request outside of high load gets a reply that is built for it.
 */
export function createReplyPool({ build, revision }: ReplyPoolOptions) {
  const batches = new Map<string, Batch>()

  const buildBatch = (kind: string, base: string, now: number): Reply | undefined => {
    // Throws for an unknown kind, before an entry is made: clients can make up any number of kinds.
    const first = build(kind, base)
    const last = batches.get(kind)
    // The replies of a batch for another host are dropped: clients that make up hosts must not have many built.
    const isHighLoad = last?.base === base && now - last.builtAt < HIGH_LOAD_MS
    const size = isHighLoad ? Math.min(MAX_BATCH, last.size * 2) : 1
    const replies = Array.from({ length: size - 1 }, () => build(kind, base)).filter((reply) => reply !== undefined)
    batches.set(kind, { replies, base, revision: revision(), builtAt: now, size })
    return first
  }

  return (kind: string, base: string, now: number): Reply | undefined => {
    const batch = batches.get(kind)
    const isUsable = batch !== undefined && batch.base === base && batch.revision === revision()
    return (isUsable ? batch.replies.pop() : undefined) ?? buildBatch(kind, base, now)
  }
}
