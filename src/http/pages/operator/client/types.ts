// The replies that the dashboard reads, as the types of the client describe them.
import type { Api } from '../../../../../packages/client/src/index.ts'

/** The reply to `GET …/operator/<path>`. */
export type Reply<Path extends string> = Api[`GET /api/v5/{app}/operator/${Path}` & keyof Api]['reply']

export type Live = Reply<'live'>['live']
export type Usage = Reply<'usage'>['usage']
export type NamedCounts = Usage['endpoints'][number]
export type AdoptionDay = Reply<'adoption'>['daily'][number]
export type Content = Reply<'content'>
export type Release = Content['releases'][string][number]
export type Download = Reply<'downloads'>['downloads'][number]
export type Ban = Reply<'bans'>['bans'][number]
export type Client = Reply<'clients'>['clients'][number]
export type Token = Reply<'token'>['token']

/** Parts of the overview whose fields OpenAPI does not list. */
interface OtherFields {
  readonly version: { readonly version: string; readonly node: string }
  readonly downloads: { readonly total: number } | null
  readonly adoption: readonly AdoptionDay[] | null
  readonly store: { readonly ok: boolean; readonly driver: string; message: string; latencyMs: number } | null
  readonly blocklists: readonly { readonly entries: number; source: string; modifiedAt: string }[]
}
export type Overview = Omit<Reply<'overview'>['overview'], keyof OtherFields> & OtherFields
export type Problem = Overview['problems'][number]
