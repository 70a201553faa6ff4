import { type Reply, type ReplyOptions, text } from '../../kernel/replies.ts'
import { compressible } from '../../kernel/send.ts'
import type { Assets } from './assets.ts'
import { type Html, html } from './html.ts'

export const SITE_ASSETS = [
  'site.css',
  'theme.js',
  'front.js',
  'playground.js',
  'playground-worker.js',
  'access.js',
  'guides.js',
  'client.js',
  'element.js',
  'artist.js',
  'operator.js',
  'operator.css',
  'share.js',
  'nunito.woff2',
  'nunito-license.txt',
] as const

interface Page {
  /** Relative like all URLs in a page, because the service may run below a path of its host. */
  readonly path:
    | './'
    | 'playground'
    | 'v5-access'
    | 'operator'
    | 'docs/guides'
    | 'docs/search'
    | `docs/guides/${string}`
    | 'a'
    | `a/${string}`
    | 'not-found'
  readonly title: string
  readonly description: string
  readonly script?: (typeof SITE_ASSETS)[number]
  /** In addition to the shared stylesheet. */
  readonly style?: (typeof SITE_ASSETS)[number]
  readonly body: Html
  /** Elements of the head that describe the preview of a link. Default: the logo. */
  readonly card?: Html
  /** Start of absolute URLs. */
  readonly base: string
  /** From the URL of the page to the root of the service. Default: from `path`. */
  readonly root?: string
  readonly status?: number
  readonly headers?: readonly string[]
  readonly cache: NonNullable<ReplyOptions['cache']>
  /** The only Trusted Types policy that the script may create. Default: none. */
  readonly trustedTypes?: string
}

export type Layout = (page: Page) => Promise<Reply>

// Scripts create elements and never parse HTML; trusted-types 'none' enforces it.
const buildPolicy = (trustedTypes = "'none'") =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    // The playground shows images from blob: URLs, because it also reads the headers of the reply.
    "img-src 'self' blob:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypes}`,
  ].join('; ')

/**
 * For pages in which operators enter a token. A page of another site that opened one of them in a tab could later replace
 * it by a copy that asks for a token. Over plain HTTP with a network name, browsers ignore it and say so in the console.
 */
export const OPENER_POLICY = ['Cross-Origin-Opener-Policy', 'same-origin']

export const MAX_QUERY_LENGTH = 100

const LINKS = [
  ['./', 'Animals'],
  ['playground', 'Playground'],
  ['docs/guides', 'Guides'],
  ['docs', 'Reference'],
  ['v5-access', 'v5 access'],
] as const

/** The navigation link of a page. */
const sectionOf = (path: string) => (path.startsWith('docs/guides') ? 'docs/guides' : path)

/** The header of every page, the reference included. */
export const renderHeader = (root: string, path: string): Html => html`<header class="top">
<a class="brand" href="${root}./"><img src="${root}${LOGO}" alt="" width="40" height="40">Menagerie</a>
<nav aria-label="Pages"><ul>${LINKS.map(
  ([to, name]) =>
    html`<li><a href="${root}${to}"${to === sectionOf(path) && html` aria-current="page"`}>${name}</a></li>`,
)}</ul></nav>
${(path === 'docs' || path.startsWith('docs/guides')) && renderSearchForm(root)}
<button class="theme script-only" type="button" data-theme-switch>Dark</button>
</header>`

/** Finds sections of the guides, endpoints and error codes. */
export const renderSearchForm = (
  root: string,
  query = '',
): Html => html`<form class="search" role="search" action="${root}docs/search">
<input type="search" name="q" value="${query}" maxlength="${MAX_QUERY_LENGTH}" placeholder="Search the docs" aria-label="Search guides and reference" aria-keyshortcuts="/" autocomplete="off" data-search>
</form>`

/** From a page back to the root of the service. */
export const rootOf = (path: string) => '../'.repeat(path.replace('./', '').split('/').length - 1)

export const LOGO = 'media/animals/fox/~b.svg'
export const LOGO_PNG = 'media/animals/fox/~b.png'

/** The formats of `…/launcher/news?format=` by their media types. Browsers and feed readers find the feeds by them. */
const FEEDS = { atom: 'application/atom+xml', rss: 'application/rss+xml', 'json-feed': 'application/feed+json' }

interface LayoutOptions {
  readonly version: string
  /** Path of the news, if everybody may read them. */
  readonly news: string | undefined
}

export function createLayout(assets: Assets, { version, news }: LayoutOptions): Layout {
  return async ({ path, title, description, script, style, body, card, base, trustedTypes, ...rest }) => {
    const { root = rootOf(path), ...options } = rest
    const urlOf = async (name: string) => `${root}site/${await assets.urlOf(name)}`
    const page = html`<!doctype html>
<html lang="en" data-base="${base}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${card ?? html`<meta property="og:image" content="${base}/${LOGO_PNG}">`}
<meta name="theme-color" content="#fff5e3" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#1a1329" media="(prefers-color-scheme: dark)">
<link rel="icon" type="image/svg+xml" href="${root}${LOGO}">
${
  news &&
  Object.entries(FEEDS).map(
    ([format, type]) =>
      html`<link rel="alternate" type="${type}" title="News (${format})" href="${root}${news}?format=${format}">\n`,
  )
}<link rel="preload" href="${await urlOf('nunito.woff2')}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${await urlOf('site.css')}">
${style && html`<link rel="stylesheet" href="${await urlOf(style)}">`}
<script src="${await urlOf('theme.js')}"></script>
${script && html`<script src="${await urlOf(script)}" defer></script>`}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${renderHeader(root, path)}
<main id="content" tabindex="-1">
${body}
</main>
<footer class="bottom">
<p>Menagerie ${version}. Pictures by the built-in artist are CC0.</p>
<ul>
<li><a href="${root}docs">API reference</a></li>
<li><a href="${root}openapi.json">openapi.json</a></li>
<li><a href="${root}api/v1/static/generated/errors.json">Error codes</a></li>
<li><a href="${root}readyz">Health</a></li>
<li><a href="${root}operator"${path === 'operator' && html` aria-current="page"`}>Operator</a></li>
</ul>
</footer>
<p class="visually-hidden" role="status" data-announcer></p>
</body>
</html>
`
    const reply = text(page.text, 'text/html; charset=utf-8', options)
    return compressible({ ...reply, contentSecurityPolicy: buildPolicy(trustedTypes) })
  }
}
