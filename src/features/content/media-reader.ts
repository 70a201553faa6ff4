import type { Stats } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { Busy, MediaNotFound } from '../../errors/index.ts'
import { isSameStamp, joinPieces, streamUnchanged } from '../../platform/files/index.ts'
import { parseDrawingName } from './drawings.ts'
import type { KindFolder } from './kind-folder.ts'
import { pictureTypes } from './kinds.ts'
import type { Picture } from './picture-index.ts'
import { readStamp } from './read-picture-file.ts'
import type { Artist, Media } from './types.ts'
import { digestOf } from './validate-picture.ts'

/** Larger files are streamed: a few of them would displace all others from the cache. */
const MAX_CACHED_BYTES = 2 ** 20

/** Returns a function that reads pictures by name, with a cache of their bytes. Synchronous for those in the cache. */
export function createMediaReader(artist: Artist, folders: ReadonlyMap<string, KindFolder>, cacheBytes: number) {
  const cache = new LRUCache<string, Media>({ maxSize: cacheBytes, sizeCalculation: ({ size }) => size || 1 })
  const inProgress = new Map<string, Promise<Media>>()

  /**
   * Concurrent requests for the same picture share one read. If it fails because the queue of its client is full, the
   * next client starts its own.
   */
  async function loadOnce(key: string, load: () => Promise<Media>): Promise<Media> {
    const existing = inProgress.get(key)
    if (existing) {
      return existing.catch((error: unknown) => {
        if (error instanceof Busy) return loadOnce(key, load)
        throw error
      })
    }
    const loading = load().finally(() => inProgress.delete(key))
    inProgress.set(key, loading)
    const media = await loading
    if (media.inMemory) cache.set(key, media)
    return media
  }

  return (kind: string, file: string, client?: string): Media | Promise<Media> => {
    const folder = folders.get(kind)
    const picture = folder?.find(file)
    // Under its original name the same picture has another `immutable`.
    // The number of the kind, not its name: `cat/~a` and `b.png` must not have the key of `cat` and `~a/b.png`.
    const drawingKey = `${artist.kinds.indexOf(kind)}/${file}`
    const key = picture ? (file === picture.file ? picture.id : `${picture.id} original`) : drawingKey
    const load = () =>
      folder && picture ? readPicture(folder, picture, file) : renderDrawing(artist, kind, file, client)
    return cache.get(key) ?? loadOnce(key, load)
  }
}

async function renderDrawing(artist: Artist, kind: string, file: string, client?: string): Promise<Media> {
  const drawing = artist.kinds.includes(kind) ? parseDrawingName(file) : undefined
  if (!drawing) throw new MediaNotFound()
  const { seed, type } = drawing
  const bytes = await artist.render(kind, seed, type, client)
  const etag = `"${digestOf(bytes)}"`
  return toMedia(bytes, { type: pictureTypes[type].mime, etag, modifiedAt: undefined, immutable: true })
}

async function readPicture(folder: KindFolder, picture: Picture, file: string): Promise<Media> {
  const path = join(folder.path, picture.name)
  const { stamp } = picture
  const metadata = {
    type: pictureTypes[picture.type].mime,
    etag: `"${picture.id}"`,
    modifiedAt: new Date(stamp.mtimeMs),
    immutable: file === picture.file,
  }
  try {
    const now = await readStamp(path)
    if (!now || !isSameStamp(now, stamp)) throw new Error('the file changed')
    if (stamp.size > MAX_CACHED_BYTES) {
      const whole = [{ start: 0, end: stamp.size - 1 }]
      const isSame = (stats: Stats) => isSameStamp(stats, stamp)
      const stream: Media['open'] = (pieces = whole) => streamUnchanged(path, isSame, pieces)
      return { ...metadata, size: stamp.size, inMemory: false, open: stream }
    }
    const bytes = await readFile(path)
    // Caches keep the bytes under a name with a digest for a year.
    if (digestOf(bytes) !== picture.id) throw new Error('the file changed')
    return toMedia(bytes, metadata)
  } catch {
    // The file was changed or removed, and the watcher has not noticed it yet.
    void folder.scan()
    throw new MediaNotFound()
  }
}

const toMedia = (bytes: Buffer, metadata: Pick<Media, 'type' | 'etag' | 'modifiedAt' | 'immutable'>): Media => ({
  ...metadata,
  size: bytes.length,
  inMemory: true,
  open: (pieces) => (pieces ? joinPieces(bytes, pieces) : bytes),
})
