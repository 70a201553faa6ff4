import Type from 'typebox'
import { UnknownFile } from '../../../errors/index.ts'
import { cache, text } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import { compressible } from '../../kernel/send.ts'
import { Assets } from '../shared/assets.ts'
import { html } from '../shared/html.ts'
import { LOGO, OPENER_POLICY, renderHeader } from '../shared/layout.ts'

const DOCS_ASSETS = ['scalar.js', 'docs.js', 'docs.css'] as const

const tag = 'Pages'

// Scalar writes its styles into the page, so inline styles are allowed. Scripts come only from files of the service.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Menagerie: API reference</title>
<meta name="description" content="Every endpoint of this service, with its parameters, replies and errors.">
<link rel="icon" type="image/svg+xml" href="${LOGO}">
<link rel="stylesheet" href="docs/docs.css">
<script src="site/theme.js"></script>
</head>
<body>
<a class="skip" href="#reference">Skip to the content</a>
${renderHeader('', 'docs')}
<noscript><p class="without-script">This reference is drawn by a script. The document that it shows is
<a href="openapi.json">/openapi.json</a>; any OpenAPI viewer reads it. The <a href="docs/guides">guides</a> need no script.</p></noscript>
<div id="reference"></div>
<script src="docs/scalar.js"></script>
<script src="docs/docs.js"></script>
</body>
</html>
`

/** The API reference, which works offline: no request goes to other hosts. */
export function buildDocsRoutes(siteDir: string): Route[] {
  const assets = new Assets(siteDir, DOCS_ASSETS, '/docs')
  const page = compressible({
    ...text(PAGE.text, 'text/html; charset=utf-8', { cache: cache.short, headers: OPENER_POLICY }),
    contentSecurityPolicy: POLICY,
  })
  return [
    get('/docs', {
      tag,
      summary: 'API reference',
      description: 'This document as a page, with examples and a form for requests.',
      otherTypes: ['text/html'],
      handle: () => page,
    }),
    get('/docs/:asset', {
      tag,
      summary: 'Scripts and styles of the reference',
      description: 'Nothing is loaded from other hosts.',
      params: { asset: Type.Enum([...DOCS_ASSETS], { description: 'Name of the file.' }) },
      otherTypes: ['text/javascript', 'text/css'],
      errors: [UnknownFile],
      handle: (ctx) => assets.reply(ctx.params.asset),
    }),
  ]
}
