import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { MediaNotFound } from '../errors.ts'
import { DRAWN_SIZE, drawingOfName } from './drawings.ts'
import { digestOf } from './inspect.ts'
import type { Picture } from './picture.ts'
import type { PictureFolder } from './picture-folder.ts'
import { pictureTypes } from './picture-types.ts'
import { sameStamp, stampOf } from './stamp.ts'
import type { Artist, ByteRange, Media } from './types.ts'

/** Larger files are streamed: a few of them would push all others out of the memory. */
const MAX_CACHED_BYTES = 2 ** 20
const CHUNK_BYTES = 256 * 2 ** 10

/** Gives out pictures by name, the ones in demand from memory. */
export class MediaDesk {
  readonly #artist: Artist
  readonly #folders: ReadonlyMap<string, PictureFolder>
  readonly #hot: LRUCache<string, Buffer>
  readonly #underWay = new Map<string, Promise<Buffer>>()

  constructor(artist: Artist, folders: ReadonlyMap<string, PictureFolder>, cacheBytes: number) {
    this.#artist = artist
    this.#folders = folders
    this.#hot = new LRUCache({ maxSize: cacheBytes, sizeCalculation: (bytes) => bytes.length || 1 })
  }

  async media(kind: string, file: string): Promise<Media> {
    const folder = this.#folders.get(kind)
    const picture = folder?.find(file)
    if (folder && picture) return this.#ofFile(folder, picture, file === picture.file)
    const drawing = this.#artist.kinds.includes(kind) ? drawingOfName(file) : undefined
    if (!drawing) throw new MediaNotFound()
    const { seed, type } = drawing
    const bytes = await this.#bytes(`${kind}/${file}`, () => this.#artist.picture(kind, seed, type, DRAWN_SIZE))
    return inMemory(bytes, { type: pictureTypes[type].mime, etag: digestOf(bytes), modifiedAt: undefined })
  }

  async #ofFile(folder: PictureFolder, picture: Picture, immutable: boolean): Promise<Media> {
    const { facts, stamp } = picture
    const path = join(folder.path, picture.name)
    const known = {
      type: pictureTypes[facts.type].mime,
      etag: facts.id,
      modifiedAt: new Date(stamp.mtimeMs),
      immutable,
    }
    try {
      if (stamp.size <= MAX_CACHED_BYTES) {
        return inMemory(await this.#bytes(facts.id, () => readWhole(path, picture)), known)
      }
      await mustBeUnchanged(path, picture)
      const stream = (range?: ByteRange) => Readable.from(readUnchanged(path, picture, range), { objectMode: false })
      return { ...known, etag: `"${known.etag}"`, size: stamp.size, open: stream }
    } catch {
      // It went or changed and nobody has told us yet.
      void folder.scan()
      throw new MediaNotFound()
    }
  }

  /** Reads or draws once, however many ask at the same time. */
  async #bytes(key: string, make: () => Promise<Buffer>): Promise<Buffer> {
    const hot = this.#hot.get(key)
    if (hot) return hot
    const underWay = this.#underWay.get(key)
    if (underWay) return underWay
    const making = make().finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, making)
    const bytes = await making
    this.#hot.set(key, bytes)
    return bytes
  }
}

interface Known {
  type: string
  etag: string
  modifiedAt: Date | undefined
  immutable?: boolean
}

const inMemory = (bytes: Buffer, { etag, immutable = true, ...known }: Known): Media => ({
  ...known,
  etag: `"${etag}"`,
  immutable,
  size: bytes.length,
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
  if (!now || !sameStamp(now, stamp)) throw new Error('the file changed')
}

/** The last bytes are held back until it is sure that the file stayed the same: a reply cut short is not kept. */
async function* readUnchanged(path: string, { stamp }: Picture, range?: ByteRange): AsyncGenerator<Buffer> {
  const { start, end } = range ?? { start: 0, end: stamp.size - 1 }
  await using handle = await open(path)
  for (let at = start; at <= end; ) {
    const wanted = Math.min(CHUNK_BYTES, end + 1 - at)
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, at)
    if (bytesRead === 0 || !sameStamp(await handle.stat(), stamp)) throw new Error('the file changed')
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}
