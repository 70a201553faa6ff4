import type { DrawOptions } from '../../../packages/artist/src/index.ts'
import type { TagMatcher } from '../../../packages/artist/tags/index.ts'
import type { Pieces } from '../../platform/files/index.ts'
import type { PictureCredit } from './credits.ts'
import type { SearchEffort } from './drawings.ts'
import type { Category, PictureType } from './kinds.ts'
import type { Random } from './random.ts'

export interface Artist {
  readonly kinds: readonly string[]
  /** The tags that drawings of this kind can have. */
  listTags(kind: string): string[]
  createTagMatcher(kind: string, wanted: readonly string[], unwanted: readonly string[]): TagMatcher | undefined
  describe(kind: string, seed: string, options?: DrawOptions): { alt: string; tags: string[]; color: string }
  /** Clients take turns; a drawing without a client comes first. */
  render(kind: string, seed: string, type: PictureType, client?: string, options?: DrawOptions): Promise<Buffer>
}

/** An item of a text or video list. */
export interface TextItem {
  readonly kind: string
  /** A text, or the URL of a video. */
  readonly text: string
  readonly video?: { readonly id: string; readonly title: string }
}

export interface PictureItem {
  readonly kind: string
  /** Argument of `media(kind, file)`. */
  readonly file: string
  readonly id: string
  readonly type: PictureType
  readonly width: number
  readonly height: number
  /** In bytes. Null: not known before `complete`. */
  readonly size: number | null
  /** The dominant colour, as #rrggbb. Null: not known before `complete`, or not even then under load. */
  readonly color: string | null
  /** The same object as long as the credit is the same. */
  credit(): PictureCredit
  /** Finds out what is not known yet. Returns this item, or one to use instead. Clients take turns. */
  complete?(client?: string): Promise<PictureItem>
}

/** Conditions other than the type, which need a search. */
export const hasConditions = ({ tags, orientation, avoid }: PickOptions) => (tags ?? orientation ?? avoid) !== undefined

export type ItemOf<C extends Category> = C extends 'animals' ? PictureItem : TextItem

export interface PickOptions {
  /** The same seed picks the same items while the collection stays the same. */
  seed?: string | undefined
  types?: readonly string[] | undefined
  exclude?: readonly string[] | undefined
  /** Pictures that have all `wanted` and none of the `unwanted` tags. */
  tags?: { readonly wanted: readonly string[]; readonly unwanted: readonly string[] } | undefined
  orientation?: Orientation | undefined
  /** Ids of items that are not picked. */
  avoid?: ReadonlySet<string> | undefined
  /** The kind `any` means all kinds of the category. */
  acceptsAny?: boolean
  /** For all searches of one request. */
  effort?: SearchEffort
}

export const orientations = ['landscape', 'portrait', 'square'] as const
export type Orientation = (typeof orientations)[number]

/** What exists, for a client whose options match nothing. */
export interface Available {
  readonly types: readonly PictureType[]
  readonly tags: readonly string[]
  readonly orientations: readonly Orientation[]
}

/** The items of one kind, or of several. */
export interface Collection<Item = PictureItem | TextItem> {
  /** All items are generated. */
  readonly isDrawn?: true
  readonly count: number
  /** Number of pictures by type; empty for lists and drawings. */
  readonly types: ReadonlyMap<PictureType, number>
  /** The first of `items`, but faster. */
  pick(options: PickOptions, random: Random): Item | undefined
  /** Different items that match, in random order. */
  items(options: PickOptions, random: Random): Generator<Item, void>
  available(): Available
}

export interface Media {
  type: string
  size: number
  etag: string
  /** Undefined for drawings. */
  modifiedAt: Date | undefined
  /** The bytes under this name never change. */
  immutable: boolean
  /** The bytes are in memory; later calls return the same object while they are. */
  inMemory: boolean
  /** A stream fails if the file changes meanwhile. */
  open(pieces?: Pieces): Buffer | AsyncIterable<Uint8Array>
}
