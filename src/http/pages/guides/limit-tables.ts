import { MAX_URL_CHARACTERS } from '../../../platform/net/index.ts'
import type { Bucket } from '../../kernel/limits.ts'
import type { ApiDocument } from '../../kernel/openapi.ts'
import type { Html } from '../shared/html.ts'
import type { SiteLimits } from './limits.ts'
import { code, table } from './table.ts'

const PURSES: Readonly<Record<Bucket, string>> = {
  requests: 'everything that is not below',
  filters: 'image filters',
  downloads: 'downloads',
}

const number = (value: number) => value.toLocaleString('en')

export function budgets({ budgets: given }: SiteLimits): Html {
  const rows = Object.entries(PURSES).map(([bucket, what]) => {
    const budget = given[bucket as Bucket]
    if (!budget) return [what, 'without limit', '']
    const { requests, seconds } = budget
    return [what, `${number(requests)} in ${number(seconds)} s`, code(`"${bucket}";q=${requests};w=${seconds}`)]
  })
  return table(['what', 'one address may ask', 'RateLimit-Policy'], rows)
}

export const pictures = ({ picture: { bytes, pixels, frames, milliseconds } }: SiteLimits): Html =>
  table(
    ['of a source picture', 'at the most', 'error'],
    [
      ['bytes', `${number(bytes)} (${megabytes(bytes)})`, code('IMAGE_TOO_LARGE')],
      ['pixels, all frames together', number(pixels), code('IMAGE_TOO_MANY_PIXELS')],
      ['frames', number(frames), code('IMAGE_TOO_MANY_PIXELS')],
      ['time to fetch it', `${number(milliseconds / 1000)} s`, code('IMAGE_TIMEOUT')],
      ['characters of its URL', number(MAX_URL_CHARACTERS), code('IMAGE_URL_INVALID')],
    ],
  )

const megabytes = (bytes: number) => `${number(bytes / 1024 / 1024)} MiB`

interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly security?: readonly Record<string, unknown>[]
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: { readonly minimum?: number; readonly maximum?: number; readonly maxLength?: number }
}

/** The bounds of the parameters that anybody may give, as the document has them. */
export function amounts({ paths }: ApiDocument): Html {
  const found = new Map<string, { schema: Parameter['schema']; where: string }>()
  for (const [path, methods] of Object.entries(paths)) {
    const { parameters = [], security = [] } = (methods.get ?? {}) as Operation
    if (security.some((needed) => 'operator' in needed)) continue
    for (const { name, in: where, schema } of parameters) {
      const isBounded = schema.maximum !== undefined || schema.maxLength !== undefined
      if (where === 'query' && isBounded && !found.has(name)) found.set(name, { schema, where: path })
    }
  }
  return table(
    ['parameter', 'may be', 'such as of'],
    [...found].map(([name, { schema, where }]) => [code(name), boundsOf(schema), code(where)]),
  )
}

const boundsOf = ({ minimum = 0, maximum, maxLength = 0 }: Parameter['schema']) =>
  maximum === undefined ? `up to ${number(maxLength)} characters` : `${number(minimum)} to ${number(maximum)}`
