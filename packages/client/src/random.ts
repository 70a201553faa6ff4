import type { Api, Nothing } from './api.ts'
import type { CallOptions, Connection } from './connection.ts'

type Group = keyof Api & `GET /api/v2/random/${string}`
type Animals = 'GET /api/v2/random/animal/{type}'

/** What is known of a picture. */
export type Picture = NonNullable<Api[Animals]['reply']['item']>
export type PictureType = Picture['type']

export interface Wish extends CallOptions {
  /** Makes the choice repeatable while the collection stays the same. */
  readonly seed?: string | number
}

export interface AnimalWish extends Wish {
  /** Picture types to choose from. */
  readonly type?: PictureType | readonly PictureType[]
  /** Picture types to leave out. */
  readonly exclude?: PictureType | readonly PictureType[]
}

type ItemOf<R> = R extends { readonly item?: infer Item } ? NonNullable<Item> : never
type Envelope<R> = Omit<R, 'message' | 'item' | 'items'>

export type One<R> = Envelope<R> & { readonly message: string } & ('item' extends keyof R
    ? { readonly item: ItemOf<R> }
    : Nothing)

export type Many<R> = Envelope<R> & { readonly message: readonly string[] } & ('item' extends keyof R
    ? { readonly items: readonly ItemOf<R>[] }
    : Nothing)

/** One at random, or with `count` (2 to 50) several. */
export interface Choose<O extends Group, W extends Wish> {
  (kind: Api[O]['params']['type'], wish?: W & { readonly count?: undefined }): Promise<One<Api[O]['reply']>>
  (kind: Api[O]['params']['type'], wish: W & { readonly count: number }): Promise<Many<Api[O]['reply']>>
}

export interface Random {
  readonly animal: Choose<Animals, AnimalWish>
  readonly kaomoji: Choose<'GET /api/v2/random/kaomoji/{type}', Wish>
  readonly string: Choose<'GET /api/v2/random/string/{type}', Wish>
  readonly video: Choose<'GET /api/v2/random/yt-video/{type}', Wish>
}

export function random(connection: Connection): Random {
  const picking = <O extends Group, W extends Wish>(operation: O) =>
    ((type: string, wish?: W) => connection.json<Group>(operation, { params: { type }, wish })) as unknown as Choose<
      O,
      W
    >
  return {
    animal: picking('GET /api/v2/random/animal/{type}'),
    kaomoji: picking('GET /api/v2/random/kaomoji/{type}'),
    string: picking('GET /api/v2/random/string/{type}'),
    video: picking('GET /api/v2/random/yt-video/{type}'),
  }
}
