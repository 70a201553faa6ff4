import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { MediaNotFound } from '../../errors/index.ts'
import { type ByteRange, streamUnchanged } from '../../platform/files/index.ts'
import { DRAWN_SIZE, drawingOfName } from './drawings.ts'
import type { Picture } from './picture.ts'
import type { PictureFolder } from './picture-folder.ts'
import { pictureTypes } from './picture-types.ts'
import { isSameStamp, stampOf } from './stamp.ts'
import type { Artist, Media } from './types.ts'
import { digestOf } from './validate-picture.ts'

/** Larger files are streamed: a few of them would push all others out of the memory. */
const MAX_CACHED_BYTES = 2 ** 20

/** Gives out pictures by name, the ones in demand from memory. */
export class MediaDesk {
  readonly #artist: Artist
  readonly #folders: ReadonlyMap<string, PictureFolder>
  readonly #hot: LRUCache<string, Media>
  readonly #underWay = new Map<string, Promise<Media>>()

  constructor(artist: Artist, folders: ReadonlyMap<string, PictureFolder>, cacheBytes: number) {
    this.#artist = artist
    this.#folders = folders
    this.#hot = new LRUCache({ maxSize: cacheBytes, sizeCalculation: ({ size }) => size || 1 })
  }

  /** At once where the picture is in memory. */
  media(kind: string, file: string): Media | Promise<Media> {
    const folder = this.#folders.get(kind)
    const picture = folder?.find(file)
    const key = picture ? (file === picture.file ? picture.facts.id : `${picture.facts.id} renewed`) : `${kind}/${file}`
    return this.#hot.get(key) ?? this.#make(key, () => this.#read(kind, file, folder, picture))
  }

  async #read(
    kind: string,
    file: string,
    folder: PictureFolder | undefined,
    picture: Picture | undefined,
  ): Promise<Media> {
    if (folder && picture) return this.#ofFile(folder, picture, file === picture.file)
    const drawing = this.#artist.kinds.includes(kind) ? drawingOfName(file) : undefined
    if (!drawing) throw new MediaNotFound()
    const { seed, type } = drawing
    const bytes = await this.#artist.picture(kind, seed, type, DRAWN_SIZE)
    const etag = `"${digestOf(bytes)}"`
    return held(bytes, { type: pictureTypes[type].mime, etag, modifiedAt: undefined, immutable: true })
  }

  async #ofFile(folder: PictureFolder, picture: Picture, immutable: boolean): Promise<Media> {
    const { facts, stamp } = picture
    const path = join(folder.path, picture.name)
    const known = {
      type: pictureTypes[facts.type].mime,
      etag: `"${facts.id}"`,
      modifiedAt: new Date(stamp.mtimeMs),
      immutable,
    }
    try {
      if (stamp.size <= MAX_CACHED_BYTES) return held(await readWhole(path, picture), known)
      await mustBeUnchanged(path, picture)
      const open = (range?: ByteRange) => streamUnchanged(path, stamp, range)
      return { ...known, size: stamp.size, isHeld: false, open }
    } catch {
      // It went or changed and nobody has told us yet.
      void folder.scan()
      throw new MediaNotFound()
    }
  }

  /** Reads or draws once, however many ask at the same time. */
  async #make(key: string, make: () => Promise<Media>): Promise<Media> {
    const underWay = this.#underWay.get(key)
    if (underWay) return underWay
    const making = make().finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, making)
    const media = await making
    if (media.isHeld) this.#hot.set(key, media)
    return media
  }
}

const held = (bytes: Buffer, known: Pick<Media, 'type' | 'etag' | 'modifiedAt' | 'immutable'>): Media => ({
  ...known,
  size: bytes.length,
  isHeld: true,
  open: (range) => (range ? bytes.subarray(range.start, range.end + 1) : bytes),
})

/** What the name promises by its digest, or an error: a cache will keep these bytes for a year. */
async function readWhole(path: string, picture: Picture): Promise<Buffer> {
  await mustBeUnchanged(path, picture)
  const bytes = await readFile(path)
  if (digestOf(bytes) !== picture.facts.id) throw new Error('the file changed')
  return bytes
}

async function mustBeUnchanged(path: string, { stamp }: Picture): Promise<void> {
  const now = await stampOf(path)
  if (!now || !isSameStamp(now, stamp)) throw new Error('the file changed')
}
