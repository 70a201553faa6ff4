// Checks before a request is handled: rejects banned clients on every path, and checks tokens and detects attacks on the
// operator endpoints. features/access/bans.ts decides whether an attack or a wrong token causes a ban.
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { Banned, TokenInvalid, TokenRequired } from '../../errors/index.ts'
import {
  type Bans,
  detectAttack,
  detectAttackInHeaders,
  detectAttackInText,
  findFormerToken,
  isMeantAsToken,
  isProofOfServer,
  isToken,
  parseBearerToken,
  type Tokens,
} from '../../features/access/index.ts'
import { hasLoopMark } from '../../platform/net/index.ts'
import type { Scope } from '../../platform/store/index.ts'
import { readRefusedBody } from '../kernel/input.ts'
import { type RequestContext, readPeerAddress } from '../kernel/request-context.ts'
import type { Route } from '../kernel/route.ts'
import { isPreflight } from '../kernel/router.ts'

type TokenServices = { readonly bans: Bans; readonly tokens: Tokens }

interface BanCheckOptions extends TokenServices {
  /** The common prefix of the authenticated endpoints. */
  readonly operatorPath: string
  /** Called for each request of a banned client. */
  readonly onRefused?: () => void
}

/**
 * The owner of such a token may make mistakes, but is not an attacker. Throws while the store is unavailable: a token that
 * cannot be checked must not get its owner banned.
 */
async function hasKnownToken(tokens: Tokens, authorization: string | undefined): Promise<boolean> {
  const text = parseBearerToken(authorization)
  return text !== undefined && (await tokens.isKnown(text))
}

/** Rejects banned clients. Called before anything else, and after a client was banned. */
export function createBanCheck({ bans, onRefused }: BanCheckOptions) {
  return ({ client }: RequestContext): void => {
    const ban = bans.find(client)
    if (!ban) return
    onRefused?.()
    throw new Banned(new Date(ban.until).toISOString())
  }
}

/** Reports attacks on the operator endpoints in the URL or the headers. */
export function createAttackCheck(options: BanCheckOptions): Route['admit'] {
  const { bans, tokens, operatorPath } = options
  const matchOperatorPath = createPrefixMatcher(operatorPath)
  const rejectIfBanned = createBanCheck(options)

  const reportAttack = async (ctx: RequestContext, attack: string) => {
    if (await hasKnownToken(tokens, ctx.header('authorization'))) return
    await bans.recordAttack(ctx.client, attack)
    rejectIfBanned(ctx)
  }

  return (ctx) => {
    const { match, url } = ctx
    if (match && !match.route.path.startsWith(operatorPath)) return undefined
    const searched = matchOperatorPath(url) ?? (matchOperatorPath(resolvePath(url)) === undefined ? undefined : url)
    if (searched === undefined || !isSentByAuthor(ctx)) return undefined
    const attackInUrl = mayFollowLink(ctx) ? undefined : detectAttack(searched)
    const attack = attackInUrl ?? detectAttackInHeaders(pickOwnHeaders(ctx))
    return attack === undefined ? undefined : reportAttack(ctx, attack)
  }
}

/**
 * False if the sender of a request may not be its author: a browser that shows a page of another site, a proxy that all
 * clients share, or a service that fetches an image. Such requests are refused, but not reported.
 */
const isSentByAuthor = (ctx: RequestContext): boolean =>
  !mayBeUnintended(ctx) && !ctx.isFromUntrustedProxy() && !hasLoopMark(ctx.request.headers)

/** Checks the operator token. Reports wrong tokens, and attacks in the body. */
export async function checkToken({ tokens, bans }: TokenServices, scope: Scope, ctx: RequestContext) {
  const authorization = readAuthorization(ctx)
  try {
    await tokens.authenticate(authorization, scope)
  } catch (error) {
    const isRefused = error instanceof TokenInvalid || error instanceof TokenRequired
    if (isRefused && isSentByAuthor(ctx) && !(await hasKnownToken(tokens, authorization))) {
      if (hasToken(ctx)) await bans.recordWrongToken(ctx.client, findFormerToken(authorization))
      // What an operator sends with a mistyped or missing token may look like an attack: a program, HTML, or a reason.
      const isOperator = isMeantAsToken(ctx.header('authorization')) || ctx.match?.route.receivesFile
      const attack = isOperator || mayFollowLink(ctx) ? undefined : detectAttackInText(await readRefusedBody(ctx))
      if (attack) await bans.recordAttack(ctx.client, attack)
    }
    throw error
  }
}

/** The API reference sends an empty token if its visitor entered none: that counts as none, because it guesses nothing. */
function readAuthorization(ctx: RequestContext): string | undefined {
  const authorization = ctx.header('authorization')
  if (!/^Bearer *$/i.test(authorization ?? '')) return authorization
  return isOwnPage(ctx) ? undefined : authorization
}

const readOwnOrigin = (ctx: RequestContext) => URL.parse(ctx.baseUrl)?.origin ?? ''

/** Over plain HTTP browsers send only `Origin`. */
const isOwnPage = (ctx: RequestContext) =>
  isBrowser(ctx) && (ctx.header('sec-fetch-site') === 'same-origin' || ctx.header('origin') === readOwnOrigin(ctx))

/** Requires a token for unknown paths and methods under `operatorPath` too. */
export function createUnknownPathCheck(services: TokenServices, operatorPath: string): Route['admit'] {
  const match = createPrefixMatcher(operatorPath)
  return (ctx) => (match(ctx.url) === undefined ? undefined : checkToken(services, 'read', ctx))
}

/** `%2f`, `%3f` and `;` lead to no route, but an attacker who writes them there means the end of the name. */
const PREFIX_END = /^(?:$|[/?#;\\]|%(?:25)*(?:23|2f|3b|3f|5c))/i

/** The part of a URL after a path prefix, in every spelling that the router decodes. Undefined: another path. */
export function createPrefixMatcher(prefix: string): (url: string) => string | undefined {
  return (url) => {
    const percent = url.indexOf('%')
    const isPlain = percent === -1 || percent >= prefix.length
    const path = isPlain ? url : decodePath(url)
    if (!path.startsWith(prefix)) return undefined
    const rest = path.slice(prefix.length)
    return PREFIX_END.test(rest) ? rest : undefined
  }
}

/**
 * The path that proxies and file systems may make of a URL: `//`, `/./`, `/x/..`, `\` and `%2f` lead to no route here, but
 * an attacker who writes them means the same path. `..%2f` is not resolved: chat bots and servers put words of others into
 * paths of any API, encoded, and a page may set the `User-Agent` of a request for a public path.
 */
function resolvePath(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  const { pathname = '' } = URL.parse(`http://x${path}`) ?? {}
  return pathname.replace(/%(?:2f|5c)/gi, '/').replace(/\/{2,}/g, '/')
}

function decodePath(url: string): string {
  const pathEnd = url.search(/[?#]/)
  const path = pathEnd === -1 ? url : url.slice(0, pathEnd)
  try {
    return decodeURI(path) + url.slice(path.length)
  } catch {
    // Leads to no route, but an invalid percent sign must not hide that the rest is an operator path.
    return url.replace(/%([2-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  }
}

/**
 * Tools and libraries whose users write the requests themselves, and scanners. All other programs may request URLs that
 * somebody else chose: services that preview links, apps that show the pictures of messages, players, office programs.
 * There is no end to their names.
 */
const TOOLS = new RegExp(
  [
    '^node$|^got \\(',
    // Exact names: a feed reader may be called PHP-Feed-Reader.
    '^(?:axios|bun|curl|deno|ffuf|go-http-client|httpie|httpx|insomnia|node-fetch|postmanruntime|undici)(?![\\w-])',
    '^(?:apache-httpclient|guzzlehttp|java|java-http-client|lwp|lwp-request|libwww-perl|php|reqwest|ruby)(?![\\w-])',
    '^(?:aiohttp|python|python-httpx|python-requests|python-urllib3?|symfony|wget2?|xh)(?![\\w-])',
    // Not in the address of a server that names itself: https://hydra.example
    '(?:^|[ (;])(?:acunetix|arachni|commix|dirbuster|feroxbuster|w?fuzz|gobuster|hydra|masscan|nessus)(?![a-z])',
    '(?:^|[ (;])(?:nikto|nmap|nuclei|openvas|sqlmap|w3af|wapiti|whatweb|wpscan|zgrab|zmeu)(?![a-z])',
  ].join('|'),
  'i',
)

/** Programs that request URLs of others, and begin their user agent as browsers do: Discord and Gmail name old browsers. */
const NAMES_ITSELF =
  /\b(?:compatible|google|valve)\b|bot|crawl|headless|https?:|preview|proxy|spider|fox\/(?:38|92)\.0$|Edge\/12\.246 M/i

const readUserAgent = (ctx: RequestContext) => ctx.header('user-agent') ?? ''
const isBrowser = (ctx: RequestContext) => readUserAgent(ctx).startsWith('Mozilla/5.0 (')
/** Phones, televisions and consoles play videos with other programs, which send only the name of the browser. */
const isOnComputer = (ctx: RequestContext) => /^Mozilla\/5\.0 \((?:Macintosh|Windows|X11)\b/.test(readUserAgent(ctx))

/** Browsers always send it, and a page can set it, also to `*`. Node's `fetch` sends `*` with the mode `cors`. */
const hasLanguage = (ctx: RequestContext) =>
  ctx.header('accept-language') !== undefined &&
  (ctx.header('accept-language') !== '*' || ctx.header('sec-fetch-mode') !== 'cors')

/** Without a user agent, it is a script, or WebKit on Linux if a page that was left sends a request that is redirected. */
const isTool = (ctx: RequestContext) => (readUserAgent(ctx) === '' ? !hasLanguage(ctx) : TOOLS.test(readUserAgent(ctx)))

const isRead = (ctx: RequestContext) => ctx.isHead || ctx.request.method === 'GET'
const hasToken = (ctx: RequestContext) =>
  isToken(readAuthorization(ctx)) && (isTool(ctx) || !isProofOfServer(ctx.header('authorization')))

/**
 * Whether the host name may be that of a page whose name leads to this service (DNS rebinding). Over plain HTTP such a page
 * can set the user agent and a token, and no other header tells its requests from ours. A proxy may replace the name.
 */
function hasNameOfPage(ctx: RequestContext): boolean {
  const host = URL.parse(`http://${ctx.header('host') ?? ''}`)?.hostname ?? '[]'
  const isName = !host.startsWith('[') && isIP(host) === 0
  if (!isName || !hasLanguage(ctx) || ctx.client !== readPeerAddress(ctx.request)) return false
  return URL.parse(ctx.baseUrl)?.hostname !== host || ctx.dependsOnHost
}

/**
 * Whether a page or a link of somebody else may have caused the request. Any page can make its visitors send any request,
 * so such requests are rejected, but the visitors are not banned. Browsers differ in what tells that a page of another site
 * caused a request, so without a token each sign of a browser is enough.
 */
function mayBeUnintended(ctx: RequestContext): boolean {
  // It has no effect, and that of Safari has the user agent that the page sets for the request.
  if (isPreflight(ctx.request)) return true
  const [site, mode, dest] = ['site', 'mode', 'dest'].map((name) => ctx.header(`sec-fetch-${name}`))
  // Chromium before version 80, as in some televisions, sends no destination: the other signs must tell.
  const hasAll = site !== undefined && mode !== undefined && dest !== undefined
  if (!hasAll && hasNameOfPage(ctx)) return true
  // A user can give a browser this name; `empty` is a request of a script.
  if (isTool(ctx)) return hasAll && dest !== 'empty' && isRead(ctx) && !hasToken(ctx)

  const origin = ctx.header('origin')
  if (!hasToken(ctx)) return hasAll || origin !== undefined || hasLanguage(ctx)
  // A page of another site can send a token, but then browsers tell that it did.
  if (hasAll) return site !== 'same-origin'
  // A host that the client sent can be the name of another site, which leads here (DNS rebinding).
  return origin !== undefined && (origin !== readOwnOrigin(ctx) || ctx.dependsOnHost)
}

/**
 * Whether somebody else may have chosen the URL and the body of the request, because the sender follows links. Not only
 * with GET: office programs send PROPFIND, and servers of social networks the posts of their users to the address that a
 * follower names.
 */
const mayFollowLink = (ctx: RequestContext): boolean =>
  !hasToken(ctx) && !isTool(ctx) && (!isOnComputer(ctx) || NAMES_ITSELF.test(readUserAgent(ctx)))

/** The headers that nobody but the sender can have chosen. */
function pickOwnHeaders(ctx: RequestContext): IncomingHttpHeaders {
  const { cookie, ...others } = ctx.request.headers
  // Others repeat a part of a URL (Referer, X-…), or what the server before a redirect sent (If-None-Match, in Discourse
  // also cookies), or are set by scripts of a page in an app (Accept, Content-Language, Sec-WebSocket-Protocol).
  if (mayFollowLink(ctx)) return { 'user-agent': others['user-agent'] }
  // Any site under the same domain, or on another port of the same host, can set cookies that a browser sends here.
  return isOwnPage(ctx) ? others : { ...others, cookie }
}
