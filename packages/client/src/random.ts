import type { Api, Nothing } from './api.ts'
import type { CallOptions, Connection } from './connection.ts'

type RandomOperation = keyof Api & `GET /api/v2/random/${string}`
type Animals = 'GET /api/v2/random/animal/{kind}'

/** Description of a picture. */
export type Picture = NonNullable<Api[Animals]['reply']['item']>
type MediaType = Picture['type']
type ShortType<T extends MediaType> = T extends 'image/svg+xml' ? 'svg' : T extends `image/${infer Name}` ? Name : never
/** `webp` or `image/webp`. */
export type PictureType = MediaType | ShortType<MediaType>

export interface RandomOptions extends CallOptions {
  /** Makes the choice repeatable while the content stays the same. */
  readonly seed?: string | number
  /** Ids of items that must not be picked, such as the last ones shown; at most 50. */
  readonly avoid?: readonly string[]
}

export interface AnimalOptions extends RandomOptions {
  /** Picture types to choose from. */
  readonly type?: PictureType | readonly PictureType[]
  /** Picture types to exclude. */
  readonly exclude?: PictureType | readonly PictureType[]
  /** Tags that a picture must have; with a `-` before them, tags that it must not have. */
  readonly tags?: string | readonly string[]
  readonly orientation?: NonNullable<Api[Animals]['query']['orientation']>
}

type ItemOf<R> = R extends { readonly item?: infer Item } ? NonNullable<Item> : never
type Envelope<R> = Omit<R, 'message' | 'item' | 'items'>

export type One<R> = Envelope<R> & { readonly message: string } & ('item' extends keyof R
    ? { readonly item: ItemOf<R> }
    : Nothing)

export type Many<R> = Envelope<R> & { readonly message: readonly string[] } & ('item' extends keyof R
    ? { readonly items: readonly ItemOf<R>[] }
    : Nothing)

/** One random item, or several with `count` (1 to 50). The kind `any` means all kinds. */
export interface Choose<O extends RandomOperation, Options extends RandomOptions> {
  (kind: Api[O]['params']['kind'], options?: Options & { readonly count?: undefined }): Promise<One<Api[O]['reply']>>
  (kind: Api[O]['params']['kind'], options: Options & { readonly count: number }): Promise<Many<Api[O]['reply']>>
}

export interface Random {
  readonly animal: Choose<Animals, AnimalOptions>
  readonly kaomoji: Choose<'GET /api/v2/random/kaomoji/{kind}', RandomOptions>
  readonly string: Choose<'GET /api/v2/random/string/{kind}', RandomOptions>
  readonly video: Choose<'GET /api/v2/random/yt-video/{kind}', RandomOptions>
}

export function random(connection: Connection): Random {
  const createChoose = <O extends RandomOperation, Options extends RandomOptions>(operation: O) =>
    ((kind: string, options?: Options) =>
      connection.json<RandomOperation>(operation, { params: { kind }, options })) as unknown as Choose<O, Options>
  return {
    animal: createChoose('GET /api/v2/random/animal/{kind}'),
    kaomoji: createChoose('GET /api/v2/random/kaomoji/{kind}'),
    string: createChoose('GET /api/v2/random/string/{kind}'),
    video: createChoose('GET /api/v2/random/yt-video/{kind}'),
  }
}
