// The tables of the guides, from the very definitions that the service runs on.

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
import { allErrors, type Described } from '../../api/about.ts'
import { filterErrors } from '../../api/filters/errors.ts'
import type { AnyError } from '../../kernel/route.ts'
import type { AccessPage } from '../access/page.ts'
import { accessState } from '../access/policy.ts'
import { type Html, html } from '../shared/html.ts'
import { amounts, budgets, pictures } from './limit-tables.ts'
import type { SiteLimits } from './limits.ts'
import { code, list, table } from './table.ts'

export interface GuideFacts extends AccessPage {
  readonly content: Content
  readonly described: Described
  readonly limits: SiteLimits
}

const PATHS: Readonly<Record<Category, readonly (string | undefined)[]>> = {
  animals: ['/api/v1/animals/', '/api/v2/random/animal/'],
  string: ['/api/v1/string/', '/api/v2/random/string/'],
  kaomoji: ['/api/v1/kaomoji/', '/api/v2/random/kaomoji/'],
  'yt-video': [undefined, '/api/v2/random/yt-video/'],
}

const kinds = ({ content }: GuideFacts): Html =>
  table(
    ['category', 'v1', 'v2', 'kinds'],
    categories.map((category) => [
      category,
      ...PATHS[category].map((path) => (path ? code(`${path}{kind}`) : 'none')),
      list(content.kinds(category).map(code)),
    ]),
  )

const filterTable = (): Html =>
  table(
    ['filter', 'strength', 'usual', 'what it does'],
    filters.map(({ name, strength, summary }) => [
      html`<a href="../../playground?filter=${name}">${name}</a>`,
      strength ? `${strength.min} to ${strength.max}` : 'none',
      strength ? String(strength.default) : '',
      summary,
    ]),
  )

const ERRORS: Readonly<Record<string, readonly AnyError[]>> = {
  filter: filterErrors,
  v5: [ClientKeyRequired, ClientKeyInvalid, UnknownApplication, UnknownTier, NotPublished, FileGone, InvalidVersion],
}

const errors = (_: GuideFacts, group = ''): Html =>
  table(
    ['code', 'status', 'meaning'],
    (ERRORS[group] ?? allErrors()).map((error) => [code(error.code), error.status, error.summary]),
  )

/** A download would begin, and be counted; a path with gaps leads nowhere. */
const canBeLookedAt = (path: string, { get }: Record<string, unknown>) =>
  get !== undefined && !path.includes('{') && !path.includes('/download/')

/** What needs a token is for the operator, who has the reference. */
function endpoints({ described }: GuideFacts, version = ''): Html {
  const found = Object.entries(described.document().paths).filter(
    ([path]) => path.startsWith(`/api/${version}/`) && !path.includes('/operator/'),
  )
  return table(
    ['path', 'what it answers'],
    found.map(([path, methods]) => [
      canBeLookedAt(path, methods) ? html`<a href="../..${path}">${code(path)}</a>` : code(path),
      Object.values(methods).map((operation) => (operation as { summary: string }).summary),
    ]),
  )
}

const access = (facts: GuideFacts): Html => accessState[facts.access]

export type Table = (facts: GuideFacts, argument?: string) => Html

/** By the name that a guide calls them by. */
export const tables: Readonly<Record<string, Table>> = {
  kinds,
  filters: filterTable,
  errors,
  endpoints,
  access,
  budgets: ({ limits }) => budgets(limits),
  pictures: ({ limits }) => pictures(limits),
  amounts: ({ described }) => amounts(described.document()),
}
