import Type from 'typebox'
import { type AnimalKind, artistKinds } from '../../../../packages/artist/src/index.ts'
import { BadPath, InvalidParameter, UnknownKind } from '../../../errors/index.ts'
import { parseDrawingName } from '../../../features/content/index.ts'
import { cache } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import { describeDrawing } from '../shared/describe-drawing.ts'
import { renderDrawing, renderDrawingTools } from '../shared/drawing-tools.ts'
import {
  AVATAR_SIZES,
  BACKGROUNDS,
  buildChoicePath,
  buildDrawingPath,
  buildSharePath,
  DEFAULT_SIZE,
  type DrawingChoice,
  formatTitle,
  isDotSegment,
  MAX_NAME_LENGTH,
  readName,
} from '../shared/drawing-url.ts'
import { type Html, html } from '../shared/html.ts'
import { type Layout, rootOf } from '../shared/layout.ts'
import { buildOembedPath, oembedRoute } from './oembed.ts'

const tag = 'Pages'
const otherTypes = ['text/html']

const options = {
  size: Type.Enum(AVATAR_SIZES.map(String), {
    description: 'Size of the picture that the page links to. Default: 512.',
  }),
  background: Type.Enum([...BACKGROUNDS], { description: '`none`: only the animal. Default: `scene`.' }),
}

interface Options {
  readonly size?: string | undefined
  readonly background?: (typeof BACKGROUNDS)[number] | undefined
}

const isKind = (kind: string): kind is AnimalKind => artistKinds.some((known) => known === kind)

/** The page of one drawing, made to be shared, its oEmbed, and the form that leads to it. */
export function shareRoutes(layout: Layout): Route[] {
  const readChoice = (kind: AnimalKind, name: string, { size = '', background = 'scene' }: Options) =>
    ({ kind, name, size: Number(size) || DEFAULT_SIZE, background }) as const

  function renderPage(path: `a/${string}` | 'a', choice: ReturnType<typeof readChoice>, base: string) {
    const { kind, name, background } = choice
    const alt = describeDrawing(kind, name)
    return layout({
      path,
      title: formatTitle(choice),
      description: `${alt}. Every name has an animal: see yours.`,
      script: 'share.js',
      body: renderBody(choice, describeDrawing(kind, name, background), rootOf(path), base),
      card: renderCard(choice, alt, base),
      base,
      cache: cache.short,
    })
  }

  return [
    oembedRoute,
    get('/a/:kind/:name', {
      tag,
      summary: 'Share page of a drawing',
      description: 'Chats show the drawing as a preview of the link.',
      params: {
        kind: Type.Enum([...artistKinds], { description: 'Kind of animal.' }),
        name: Type.String({ description: `Any text of 1 to ${MAX_NAME_LENGTH} characters.`, examples: ['Ada'] }),
      },
      query: options,
      otherTypes,
      hidesPath: true,
      errors: [BadPath, InvalidParameter, UnknownKind],
      handle: ({ params: { kind, name }, query, baseUrl }) => {
        if (!isKind(kind)) throw new UnknownKind('kind', kind, artistKinds)
        if (!parseDrawingName(`~${name}.svg`)) {
          throw new InvalidParameter(
            'name',
            `text of 1 to ${MAX_NAME_LENGTH} characters, without control characters`,
            {},
          )
        }
        return renderPage(`a/${kind}/-`, readChoice(kind, name, query), baseUrl)
      },
    }),
    get('/a', {
      tag,
      summary: 'Redirect to a share page',
      description: 'Target of the avatar form. Without a name, it redirects to the form.',
      query: {
        kind: Type.Enum([...artistKinds], { description: `Kind of animal. Default: ${artistKinds[0]}.` }),
        name: Type.String({ description: 'Any text.', readAs: 'text' }),
        ...options,
      },
      otherTypes,
      otherReplies: { 303: 'Redirect to the share page, or to the form.' },
      handle: ({ query, baseUrl }) => {
        const kind = (query.kind ?? artistKinds[0]) as AnimalKind
        const name = readName(query.name ?? '')
        const choice = readChoice(kind, name, query)
        if (isDotSegment(name)) return renderPage('a', choice, baseUrl)
        const location = name === '' ? './#avatar-title' : buildChoicePath(choice)
        return {
          status: 303,
          headers: ['Location', location, 'Cache-Control', cache.short],
          length: 0,
          body: undefined,
        }
      },
    }),
  ]
}

/** Chats show a picture of this size in full width. */
const CARD_SIZE = 1024

function renderCard(choice: DrawingChoice, alt: string, base: string): Html {
  const image = `${base}/${buildDrawingPath({ ...choice, size: CARD_SIZE, background: 'scene' }, 'png')}`
  const url = `${base}/${buildSharePath(choice.kind, choice.name)}`
  return html`<meta property="og:type" content="website">
<meta property="og:site_name" content="Menagerie">
<meta property="og:url" content="${url}">
<meta property="og:image" content="${image}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${CARD_SIZE}">
<meta property="og:image:height" content="${CARD_SIZE}">
<meta property="og:image:alt" content="${alt}">
<meta name="twitter:card" content="summary_large_image">
<meta name="twitter:image:alt" content="${alt}">
<link rel="canonical" href="${url}">
<link rel="alternate" type="application/json+oembed" href="${base}/${buildOembedPath(url)}" title="${formatTitle(choice)}">
<meta name="robots" content="noindex">`
}

const LONG_NAME = 24

function renderBody(choice: DrawingChoice, alt: string, root: string, base: string): Html {
  const { kind, name } = choice
  const view = { choice, alt, root, base, isSharePage: true }
  return html`
<section class="share" aria-labelledby="share-title">
<div id="drawing">${renderDrawing(view)}</div>
<div class="share-words">
<h1 id="share-title"${name.length > LONG_NAME && html` class="long"`}><bdi>${name}</bdi> the ${kind}</h1>
<p class="lead">${alt}.</p>
${renderDrawingTools(view)}
</div>
</section>
<section class="other-kinds" aria-labelledby="others-title">
<h2 id="others-title">All animals of <bdi>${name}</bdi></h2>
<ul class="tiles">${artistKinds.map(
    (other) => html`
<li><a href="${root}${buildSharePath(other, name)}"${other === kind && html` aria-current="page"`}><img src="${root}${buildDrawingPath({ ...choice, kind: other, size: DEFAULT_SIZE, background: 'scene' }, 'svg')}" alt="" width="512" height="512">${other}</a></li>`,
  )}</ul>
</section>
<section class="own sunny" aria-labelledby="own-title">
<div><h2 id="own-title">Make your own</h2>
<p>The same name always gives the same animal. Use it as an avatar: <a href="${root}docs/guides/avatars">read the guide</a>.</p></div>
<form action="${root}a">
<input type="hidden" name="kind" value="${kind}">
<label for="own-name">Name</label>
<div class="name-field"><input id="own-name" name="name" type="text" required maxlength="${MAX_NAME_LENGTH}" placeholder="Your name" autocomplete="off" autocapitalize="off" spellcheck="false" dir="auto">
<button class="press" type="submit">Show my ${kind}</button></div>
</form>
</section>`
}
