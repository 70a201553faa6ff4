// oEmbed (https://oembed.com): sites that embed links ask here what to show for a share page.
import Type from 'typebox'
import { artistKinds, MIN_SIZE } from '../../../../packages/artist/src/index.ts'
import { InvalidParameter, UnknownFile } from '../../../errors/index.ts'
import { parseDrawingName } from '../../../features/content/index.ts'
import { decodeUrlPart } from '../../../platform/net/index.ts'
import { cache, json } from '../../kernel/replies.ts'
import { get } from '../../kernel/route.ts'
import { EXAMPLE_BASE } from '../../kernel/schemas.ts'
import { BACKGROUNDS, buildDrawingPath, DEFAULT_SIZE, formatTitle } from '../shared/drawing-url.ts'

const EXAMPLE_URL = `${EXAMPLE_BASE}/a/fox/Ada`
const MaxSize = Type.Integer({
  minimum: MIN_SIZE,
  description: 'Maximum size of the picture in pixels.',
  examples: [256],
})
const Size = Type.Integer({ minimum: MIN_SIZE, maximum: DEFAULT_SIZE, examples: [DEFAULT_SIZE] })

export const buildOembedPath = (shareUrl: string): string => `oembed?url=${encodeURIComponent(shareUrl)}`

export const oembedRoute = get('/oembed', {
  tag: 'Pages',
  summary: 'oEmbed of a share page',
  description: 'Share pages link to it, so that sites which embed links find it.',
  query: {
    url: Type.String({ description: 'URL of a share page.', examples: [EXAMPLE_URL], isRequired: true }),
    maxwidth: MaxSize,
    maxheight: MaxSize,
    format: Type.Enum(['json'], { description: 'Default: json.' }),
  },
  reply: Type.Object({
    version: Type.Literal('1.0'),
    type: Type.Literal('photo'),
    title: Type.String({ examples: ['Ada the fox'] }),
    url: Type.String({ format: 'uri', examples: [`${EXAMPLE_BASE}/media/animals/fox/~Ada.png`] }),
    width: Size,
    height: Size,
    provider_name: Type.String({ examples: ['Menagerie'] }),
    provider_url: Type.String({ format: 'uri', examples: [EXAMPLE_BASE] }),
  }),
  errors: [InvalidParameter, UnknownFile],
  handle: ({ query, baseUrl }) => {
    if (query.url === undefined) throw new InvalidParameter('url', 'the URL of a share page')
    const drawing = parseShareUrl(query.url, baseUrl)
    if (!drawing) throw new UnknownFile('/docs/guides/avatars')
    const size = Math.min(DEFAULT_SIZE, query.maxwidth ?? DEFAULT_SIZE, query.maxheight ?? DEFAULT_SIZE)
    const fields = {
      version: '1.0',
      type: 'photo',
      title: formatTitle(drawing),
      url: `${baseUrl}/${buildDrawingPath({ ...drawing, size }, 'png')}`,
      width: size,
      height: size,
      provider_name: 'Menagerie',
      provider_url: baseUrl,
    }
    return json(fields, { cache: cache.short })
  },
})

/** Undefined: not a share page of this service. */
function parseShareUrl(text: string, baseUrl: string) {
  const [url, root] = [URL.parse(text), new URL(`${baseUrl}/a/`)]
  // Not the protocol: a proxy may change it.
  if (!url || url.host !== root.host || !url.pathname.startsWith(root.pathname)) return undefined
  const [kind = '', encodedName = '', ...rest] = url.pathname.slice(root.pathname.length).split('/')
  const name = decodeUrlPart(encodedName) ?? ''
  if (rest.length > 0 || !artistKinds.some((known) => known === kind) || !parseDrawingName(`~${name}.svg`))
    return undefined
  const background = BACKGROUNDS.find((known) => known === url.searchParams.get('background')) ?? 'scene'
  return { kind, name, background }
}
