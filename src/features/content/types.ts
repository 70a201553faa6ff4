import type { Piece } from '../../platform/files/index.ts'
import type { PictureCredit } from './credits.ts'
import type { Category, PictureType } from './kinds.ts'
import type { Random } from './random.ts'

export interface Artist {
  readonly kinds: readonly string[]
  describe(kind: string, seed: string): { alt: string; tags: string[]; color: string }
  /** Renders 512 by 512 pixels. Clients take turns; a drawing without a client comes first. */
  render(kind: string, seed: string, format: 'svg' | 'png' | 'webp', client?: string): Promise<Buffer>
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
  /** In bytes; null for a drawing that is not rendered yet. */
  readonly size: number | null
  /** The same object as long as the credit is the same, except for drawings. */
  credit(): PictureCredit
  /** Renders a drawing to find out its size; `size` stays null under load. */
  measure?(): Promise<void>
}

export type ItemOf<C extends Category> = C extends 'animals' ? PictureItem : TextItem

export interface PickOptions {
  /** The same seed picks the same items while the collection stays the same. */
  seed?: string | undefined
  types?: readonly string[] | undefined
  exclude?: readonly string[] | undefined
  /** The kind `any` means all kinds of the category. */
  acceptsAny?: boolean
}

/** The items of one kind, or of several. */
export interface Collection<Item = PictureItem | TextItem> {
  readonly count: number
  /** Number of pictures by type; empty for lists and drawings. */
  readonly types: ReadonlyMap<PictureType, number>
  /** The first of `items`, but faster. */
  pick(options: PickOptions, random: Random): Item | undefined
  /** Different items that match, in random order. */
  items(options: PickOptions, random: Random): Generator<Item, void>
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
  open(pieces?: readonly Piece[]): Buffer | AsyncIterable<Uint8Array>
}
