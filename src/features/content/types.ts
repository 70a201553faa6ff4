import type { Readable } from 'node:stream'
import type { ByteRange } from '../../platform/files/index.ts'

export type { Log, Problem } from '../../platform/logging/index.ts'

import type { PictureType } from './picture-types.ts'

export interface Artist {
  readonly kinds: readonly string[]
  describe(kind: string, seed: string): string
  picture(kind: string, seed: string, format: 'svg' | 'png' | 'webp', size?: number): Promise<Buffer>
}

export interface Item {
  /** A text, a video's URL, or a picture's path, which a reply puts the service's own URL before. */
  readonly message: string
  /** `message` as it stands between the quotes of a JSON string; a byte string. */
  readonly messageJson: string
  /** v2's `item` as JSON; a byte string. A plain text has none. */
  readonly itemJson?: string
  /** Draws what is drawn only when somebody looks, so that `itemJson` tells its size; not while many ask. */
  readonly measure?: () => Promise<void>
  /** What `media(kind, file)` takes; only a picture has it. */
  readonly file?: string
}

export interface Wish {
  /** Makes the choice repeatable while the collection stays the same. */
  seed?: string | undefined
  /** Picture types to choose from, and not to choose from. */
  types?: readonly string[] | undefined
  exclude?: readonly string[] | undefined
}

/** The items of one kind. */
export interface Collection {
  readonly count: number
  /** The picture types in it, with how many of each; empty for lists. */
  readonly types: ReadonlyMap<PictureType, number>
  pick(wish: Wish, draw: () => number): Item
  pickMany(count: number, wish: Wish, draw: () => number): Item[]
}

export interface Media {
  type: string
  size: number
  etag: string
  /** A drawing has none. */
  modifiedAt: Date | undefined
  /** The URL will never answer with other bytes. */
  immutable: boolean
  /** In memory: one and the same object is given out as long as it is there. */
  isHeld: boolean
  /** The bytes; a stream fails rather than go on with bytes of another file that took the place of this one. */
  open(range?: ByteRange): Buffer | Readable
}

export interface Progress {
  done: number
  total: number
}
