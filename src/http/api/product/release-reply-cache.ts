import { hash } from 'node:crypto'
import { chooseLanguage, type LanguageIndex, type Releases } from '../../../features/releases/index.ts'
import { cacheByText } from '../../../platform/concurrency/index.ts'
import { parseAcceptLanguage } from '../../kernel/input.ts'
import { cache, createReplyCache, type Reply, type ReplyOptions } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'
import type { RouteMatch } from '../../kernel/router.ts'
import { compressible } from '../../kernel/send.ts'
import { identifyInstallation, VARY_BY_CLIENT } from './installations.ts'

/** During a staged rollout clients get different replies: only their own caches may store them. */
const STAGED = { cache: 'private, max-age=60', headers: VARY_BY_CLIENT }
/** A launcher asks at every start. Data of the last minute is fresh enough, so a shared cache may answer. */
const SHARED = { cache: cache.short, headers: [] }
/**
 * For replies that a shared cache must not store: clients without a key would get them, or links to the host that one
 * client named.
 */
const PRIVATE = { cache: cache.short.replace('public', 'private'), headers: [] }

const MAX_REPLIES = 1000
const MAX_BYTES = 16 * 1024 * 1024
/**
 * A reply of this length takes as long to build as a usual request takes. A client can make up any number of versions, and
 * have a reply about all releases built for each.
 */
const CHARGED_BYTES = 64 * 1024
/** Longer names are hashed: some parameters have any length, and the cache does not count the bytes of its keys. */
const MAX_NAME_LENGTH = 200

interface Variant {
  /** The applications whose staged rollouts decide about the reply. */
  readonly applications?: readonly string[]
  /** The languages among which the client chooses. Default: those of release notes, where the reply is about releases. */
  readonly languages?: LanguageIndex
  /** What else the reply depends on, apart from the URL: a part of the key in the cache. */
  readonly cacheKey?: string
}

export interface BuildOptions {
  /** Absolute URL of the v5 API, such as https://example.org/api/v5/app */
  readonly base: string
  /** The id of the installation, or client key and address: decides about staged rollouts. */
  readonly client: string
  /** The language that the client prefers. Undefined: the originals. */
  readonly language: string | undefined
  readonly caching: Required<Pick<ReplyOptions, 'cache' | 'headers'>>
}

export interface ProductOptions {
  readonly access: 'open' | 'registered'
  /** Path of the v5 API, such as /api/v5/app */
  readonly prefix: string
}

export type ReleaseReplyCache = ReturnType<typeof createReleaseReplyCache>

/** Replies about published content. Launchers request the same few URLs; a reply is valid until the next change. */
export function createReleaseReplyCache(releases: Releases, { access, prefix }: ProductOptions) {
  const replies = createReplyCache({ maxEntries: MAX_REPLIES, maxBytes: MAX_BYTES, revision: releases.revision })

  const negotiateLanguage = createLanguageNegotiator()
  const names = new WeakMap<RouteMatch, { target: string; variant: string; baseUrl: string; name: string }>()

  /**
   * Names what a URL requests. Other spellings and made-up parameters do not change it: otherwise anybody could have each
   * reply built again, which takes up to forty times as long as sending it.
   */
  const nameTarget = ({ match, params, query }: RequestContext): string => {
    // The chosen language is a separate part of the key, and `localVersion` is only counted.
    const { lang, localVersion, ...options } = query as Record<string, unknown>
    const name = `${match?.route.path} ${JSON.stringify([params, options])}`
    return name.length > MAX_NAME_LENGTH ? hash('sha256', name) : name
  }

  /** Keeps the last name of each URL: comparing two short texts costs less than joining and hashing a long one. */
  const nameReply = (ctx: RequestContext, variant: string): string => {
    const { match, baseUrl } = ctx
    const last = match && names.get(match)
    if (last && last.variant === variant && last.baseUrl === baseUrl) return last.name
    const target = last?.target ?? nameTarget(ctx)
    const name = `${variant} ${baseUrl} ${target}`
    if (match) names.set(match, { target, variant, baseUrl, name })
    return name
  }

  const chooseCaching = (ctx: RequestContext, isStaged: boolean) => {
    if (isStaged) return STAGED
    return access === 'registered' || ctx.dependsOnHost ? PRIVATE : SHARED
  }

  return {
    get(ctx: RequestContext, variant: Variant, build: (options: BuildOptions) => Reply): Reply {
      const { applications = [], cacheKey = '' } = variant
      const isStaged = applications.some(releases.isStaged)
      const client = isStaged ? identifyInstallation(ctx) : ''
      const offer = isStaged ? applications.map((application) => releases.offerKey(application, client)).join('/') : ''
      const languages = variant.languages ?? (applications.length === 0 ? undefined : releases.notesLanguages())
      const { language, vary } = negotiateLanguage(ctx, languages)
      return replies.get(nameReply(ctx, `${offer} ${cacheKey} ${language} ${vary}`), () => {
        const { cache, headers } = chooseCaching(ctx, isStaged)
        const caching = { cache, headers: [...headers, ...vary] }
        const reply = build({ base: ctx.baseUrl + prefix, client, language, caching })
        ctx.charge(Math.ceil((reply.length ?? 0) / CHARGED_BYTES))
        return compressible(reply)
      })
    },
  }
}

/** Browsers send less. */
const MAX_CACHED_LENGTH = 100

interface Negotiated {
  /** Undefined: the originals. */
  readonly language: string | undefined
  readonly vary: readonly string[]
}

const ORIGINALS: Negotiated = { language: undefined, vary: [] }
const VARY_BY_LANGUAGE = ['Vary', 'Accept-Language']

/** Chooses among the available languages by `lang` or `Accept-Language`. */
function createLanguageNegotiator() {
  // Parsing takes as long as a tenth of a request, and most clients of a region send the same header.
  const readPreferences = cacheByText(parseAcceptLanguage, { maxTexts: 500, maxLength: MAX_CACHED_LENGTH })

  return ({ query, request }: RequestContext, available: LanguageIndex | undefined): Negotiated => {
    // Nothing is translated.
    if (available === undefined || available.size <= 1) return ORIGINALS
    const { lang } = query as { lang?: string }
    if (lang !== undefined) return { language: chooseLanguage(available, [lang]), vary: [] }
    const preferences = readPreferences(request.headers['accept-language'] ?? '')
    return { language: chooseLanguage(available, preferences), vary: VARY_BY_LANGUAGE }
  }
}
