// The tables of the guides, built from the definitions and settings of the running service.
import {
  ClientKeyInvalid,
  ClientKeyRequired,
  FileGone,
  InvalidVersion,
  NotPublished,
  UnknownApplication,
  UnknownTier,
} from '../../../errors/index.ts'
import { type Category, type Content, categories } from '../../../features/content/index.ts'
import { filters } from '../../../features/filters/index.ts'
import { MAX_SIDE } from '../../../features/images/index.ts'
import { MAX_URL_CHARACTERS } from '../../../platform/net/index.ts'
import { type ApiDescription, listAllErrors } from '../../api/api-description.ts'
import { filterErrors } from '../../api/filters/routes.ts'
import type { Bucket, BucketLimits } from '../../kernel/limits.ts'
import { resolveReference } from '../../kernel/openapi.ts'
import type { ErrorDefinition } from '../../kernel/route.ts'
import { type AccessPage, accessNotice } from '../access/page.ts'
import { type Html, html, type Part } from '../shared/html.ts'

/** The current limits. */
export interface SiteLimits {
  /** A bucket that is missing has no limit. */
  readonly buckets: Partial<BucketLimits>
  readonly image: {
    readonly bytes: number
    readonly pixels: number
    readonly frames: number
    readonly milliseconds: number
    readonly resultBytes: number
  }
}

export interface GuideContext extends AccessPage {
  readonly content: Content
  readonly apiDescription: ApiDescription
  readonly limits: SiteLimits
}

/** A wide table scrolls on its own, also by keyboard. */
const table = (headings: readonly string[], rows: readonly (readonly Part[])[]): Html => html`
<div class="table" role="group" aria-label="Table" tabindex="0"><table>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map(
  (cells) => html`
<tr>${cells.map((cell, column) => html`<td data-label="${headings[column]}">${cell}</td>`)}</tr>`,
)}
</tbody>
</table></div>`

/** Long paths and codes may break after a slash or an underscore. */
const code = (text: string): Html =>
  html`<code>${text.split(/(?<=[/_])/).map((word, index) => (index === 0 ? word : html`<wbr>${word}`))}</code>`

const joinWithCommas = (parts: readonly Html[]): Part[] =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [', ', part]))

const formatNumber = (value: number) => value.toLocaleString('en')
const formatBytes = (bytes: number) => `${formatNumber(bytes)} (${formatNumber(Math.round(bytes / 2 ** 20))} MiB)`

const KIND_PATHS: Readonly<Record<Category, readonly (string | undefined)[]>> = {
  animals: ['/api/v2/random/animal/', '/api/v1/animals/'],
  string: ['/api/v2/random/string/', '/api/v1/string/'],
  kaomoji: ['/api/v2/random/kaomoji/', '/api/v1/kaomoji/'],
  'yt-video': ['/api/v2/random/yt-video/', undefined],
}

const kindTable = ({ content }: GuideContext): Html =>
  table(
    ['category', 'v2', 'v1', 'kinds'],
    categories.map((category) => [
      category,
      ...KIND_PATHS[category].map((path) => (path ? code(`${path}{kind}`) : 'none')),
      joinWithCommas(content.kinds(category).map(code)),
    ]),
  )

const filterTable = (): Html =>
  table(
    ['filter', 'strength', 'default', 'effect'],
    filters.map(({ name, strength, summary }) => [
      html`<a href="../../playground?steps=${name}">${name}</a>`,
      strength ? `${strength.min} to ${strength.max}` : 'none',
      strength ? String(strength.default) : '',
      summary,
    ]),
  )

const ERROR_GROUPS: Readonly<Record<string, readonly ErrorDefinition[]>> = {
  filter: filterErrors,
  v5: [ClientKeyRequired, ClientKeyInvalid, UnknownApplication, UnknownTier, NotPublished, FileGone, InvalidVersion],
}

const errorTable = (_: GuideContext, group = ''): Html =>
  table(
    ['code', 'status', 'meaning'],
    (ERROR_GROUPS[group] ?? listAllErrors()).map((error) => [code(error.code), error.status, error.summary]),
  )

/** Opening a download would count it, and a path with parameters cannot be opened. */
const canBeLinked = (path: string, { get }: Record<string, unknown>) =>
  get !== undefined && !path.includes('{') && !path.includes('/download/')

/** Operator endpoints are left out: operators use the reference. */
function endpointTable({ apiDescription }: GuideContext, version = ''): Html {
  const endpoints = Object.entries(apiDescription.document().paths).filter(
    ([path]) => path.startsWith(`/api/${version}/`) && !path.includes('/operator/'),
  )
  return table(
    ['path', 'reply'],
    endpoints.map(([path, methods]) => [
      canBeLinked(path, methods) ? html`<a href="../..${path}">${code(path)}</a>` : code(path),
      Object.values(methods).map(({ summary }) => summary),
    ]),
  )
}

const BUCKETS: Readonly<Record<Bucket, string>> = {
  filters: 'image filters',
  downloads: 'downloads',
  requests: 'all other requests',
}

function rateLimitTable({ limits: { buckets } }: GuideContext): Html {
  const rows = Object.entries(BUCKETS).map(([bucket, label]) => {
    const limit = buckets[bucket as Bucket]
    if (!limit) return [label, 'no limit', '']
    const { count, seconds } = limit
    return [label, `${formatNumber(count)} in ${formatNumber(seconds)} s`, code(`"${bucket}";q=${count};w=${seconds}`)]
  })
  return table(['requests', 'limit per address', 'RateLimit-Policy'], rows)
}

const imageLimitTable = ({ limits: { image } }: GuideContext): Html =>
  table(
    ['limit', 'maximum', 'error'],
    [
      ['bytes of the source image', formatBytes(image.bytes), code('IMAGE_TOO_LARGE')],
      ['pixels of all its frames', formatNumber(image.pixels), code('IMAGE_TOO_MANY_PIXELS')],
      ['pixels per side', formatNumber(MAX_SIDE), code('IMAGE_TOO_MANY_PIXELS')],
      ['frames', formatNumber(image.frames), code('IMAGE_TOO_MANY_PIXELS')],
      ['time to fetch it', `${formatNumber(image.milliseconds / 1000)} s`, code('IMAGE_TIMEOUT')],
      ['characters of its URL', formatNumber(MAX_URL_CHARACTERS), code('IMAGE_URL_INVALID')],
      ['bytes of the result', formatBytes(image.resultBytes), code('IMAGE_TOO_LARGE')],
    ],
  )

interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

/** Bounds of the public query parameters, from the OpenAPI document. */
function parameterTable({ apiDescription }: GuideContext): Html {
  const bounded = new Map<string, { schema: Bounds; path: string }>()
  const document = apiDescription.document()
  for (const [path, { get }] of Object.entries(document.paths)) {
    if (!get || path.includes('/operator/')) continue
    for (const parameter of get.parameters) {
      const { name, in: location, schema } = resolveReference(document, parameter)
      const isBounded = schema.maximum !== undefined || schema.maxLength !== undefined
      if (location === 'query' && isBounded && !bounded.has(name)) bounded.set(name, { schema, path })
    }
  }
  return table(
    ['parameter', 'range', 'for example in'],
    [...bounded].map(([name, { schema, path }]) => [code(name), formatRange(schema), code(path)]),
  )
}

const formatRange = ({ minimum = 0, maximum, maxLength = 0 }: Bounds) =>
  maximum === undefined
    ? `up to ${formatNumber(maxLength)} characters`
    : `${formatNumber(minimum)} to ${formatNumber(maximum)}`

/** By the name that guides use. */
export const tables: Readonly<Record<string, (context: GuideContext, argument?: string) => Html>> = {
  kinds: kindTable,
  filters: filterTable,
  errors: errorTable,
  endpoints: endpointTable,
  access: ({ access }) => accessNotice[access],
  'rate-limits': rateLimitTable,
  'image-limits': imageLimitTable,
  parameters: parameterTable,
}
