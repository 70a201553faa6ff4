import type { Stats } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { type DrawOptions, SIZE } from '../../../packages/artist/src/index.ts'
import { ApiError, Busy, MediaNotFound } from '../../errors/index.ts'
import { createFairSemaphore, createFairSingleFlight } from '../../platform/concurrency/index.ts'
import { isExhausted, isSameStamp, joinPieces, streamUnchanged } from '../../platform/files/index.ts'
import { listNetworks } from '../../platform/net/index.ts'
import { type FileEntry, readStamp } from './content-file.ts'
import { Drawing, type DrawingSource, parseDrawingName } from './drawings.ts'
import type { FileCache } from './file-cache.ts'
import type { KindFolder } from './kind-folder.ts'
import { pictureTypes } from './kinds.ts'
import type { FindColor, Picture } from './picture-index.ts'
import type { Artist, Media, PictureItem } from './types.ts'
import { digestOf } from './validate-picture.ts'

/** Per entry, for its headers and bookkeeping. A drawing may have 250 bytes, and anyone can request any number of them. */
const ENTRY_OVERHEAD_BYTES = 2048
/** Larger files are streamed: a few of them would displace all others from the cache. */
const MAX_CACHED_BYTES = 2 ** 20
/** Each holds up to MAX_CACHED_BYTES, and a client can request 600 pictures at once. */
const readLimits = {
  maxRunning: 4,
  maxRunningPerGroup: 3,
  maxWaiting: 500,
  waitTimeoutMs: 10_000,
  computeRetryAfter: () => 1,
}

/** Reads pictures by name, with a cache of their bytes. */
export function createMediaReader(artist: Artist, folders: ReadonlyMap<string, KindFolder>, cacheBytes: number) {
  const cache = new LRUCache<string, Media>({
    maxSize: cacheBytes,
    sizeCalculation: (media, key) => estimateBytes(media) + 2 * key.length,
  })
  /** Drawings that the cache must not evict. */
  const pinned = new Map<string, Media>()
  const share = createFairSingleFlight<Media>()
  const pictureReads = createFairSemaphore(readLimits)

  /** Concurrent requests for the same picture share one read, unless it is in the queue of a busy client. */
  async function loadOnce(key: string, client: string | undefined, load: () => Promise<Media>): Promise<Media> {
    const { value } = await share(key, client ?? '', new AbortController().signal, async () => {
      const media = await load()
      if (media.inMemory) cache.set(key, media)
      return media
    })
    return value
  }

  /** Equal drawings have equal keys. */
  function buildDrawingKey(kind: string, file: string, options: DrawOptions): string {
    const { size = SIZE, background = 'scene', edition = 1 } = options
    // The number of the kind, not its name: `cat/~a` and `b.png` must not have the key of `cat` and `~a/b.png`.
    return `${artist.kinds.indexOf(kind)}/${size}/${background}/${edition}/${file}`
  }

  async function renderDrawing(kind: string, file: string, client: string | undefined, options: DrawOptions) {
    const drawing = artist.kinds.includes(kind) ? parseDrawingName(file) : undefined
    if (!drawing) throw new MediaNotFound()
    const { seed, type } = drawing
    const bytes = await artist.render(kind, seed, type, client, options)
    const etag = `"${digestOf(bytes)}"`
    return toMedia(bytes, { type: pictureTypes[type].mime, etag, modifiedAt: undefined, immutable: true })
  }

  async function readInTurn(folder: KindFolder, picture: Picture, file: string, client: string | undefined) {
    using _slot = await pictureReads.acquire(client === undefined ? [] : listNetworks(client))
    return await readPicture(folder, picture, file)
  }

  /**
   * Synchronous for pictures in memory. Clients take turns. `options` have no effect on picture files. `onRender` is called
   * before a drawing is rendered, which it prevents if it throws.
   */
  function read(
    kind: string,
    file: string,
    client?: string,
    options: DrawOptions = {},
    onRender?: () => void,
  ): Media | Promise<Media> {
    const folder = folders.get(kind)
    const picture = folder?.find(file)
    if (folder && picture) {
      // Under its original name the same picture has another `immutable`.
      const key = file === picture.file ? picture.id : `${picture.id} original`
      return cache.get(key) ?? loadOnce(key, client, () => readInTurn(folder, picture, file, client))
    }
    const key = buildDrawingKey(kind, file, options)
    const found = pinned.get(key) ?? cache.get(key)
    if (found) return found
    onRender?.()
    return loadOnce(key, client, () => renderDrawing(kind, file, client, options))
  }

  /** Undefined for drawings and unknown names. */
  const findPictureFile = (kind: string, file: string): PictureItem | undefined => folders.get(kind)?.find(file)

  const source: DrawingSource = { artist, render: async (...drawing) => (await read(...drawing)).size }

  return {
    ...source,
    read,
    findPictureFile,
    /** What is known about the picture with this file name. */
    async readItem(kind: string, file: string, client?: string, options?: DrawOptions): Promise<PictureItem> {
      const name = artist.kinds.includes(kind) ? parseDrawingName(file) : undefined
      const item = findPictureFile(kind, file) ?? (name && new Drawing(source, kind, name, options))
      if (!item) throw new MediaNotFound()
      return (await item.complete?.(client)) ?? item
    },
    /** Renders a drawing, keeps it in memory until `unpin`, and returns its size in bytes. */
    async pin(kind: string, file: string): Promise<number> {
      const key = buildDrawingKey(kind, file, {})
      const media = await loadOnce(key, undefined, () => renderDrawing(kind, file, undefined, {}))
      pinned.set(key, media)
      cache.delete(key)
      return media.size
    },
    /** Clients may still follow links to the drawing. */
    unpin(kind: string, file: string): void {
      const key = buildDrawingKey(kind, file, {})
      const media = pinned.get(key)
      pinned.delete(key)
      if (media) cache.set(key, media)
    },
  }
}

/** Replies with an SVG are also kept compressed in two ways, each with its own headers. */
const estimateBytes = ({ size, type }: Media) =>
  type === pictureTypes.svg.mime ? 2 * size + 3 * ENTRY_OVERHEAD_BYTES : size + ENTRY_OVERHEAD_BYTES

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
  } catch (error) {
    // The file was changed or removed, and the watcher has not noticed it yet, or cannot, because size and time are the
    // same. If the scan fails, too, the watcher repeats it.
    const scan = isExhausted(error) ? folder.scan() : folder.readAgain(picture.name)
    scan.catch(() => {})
    throw new MediaNotFound()
  }
}

const toMedia = (bytes: Buffer, metadata: Pick<Media, 'type' | 'etag' | 'modifiedAt' | 'immutable'>): Media => ({
  ...metadata,
  size: bytes.length,
  inMemory: true,
  open: (pieces) => (pieces ? joinPieces(bytes, pieces) : bytes),
})

/** For pictures that cannot be analysed, such as those with more pixels than filters accept. */
export const UNKNOWN_COLOR = '#808080'
/** Each holds a whole file in memory, and may wait in the queue of its client. */
const analysisLimits = {
  maxRunning: 3,
  maxRunningPerGroup: 2,
  maxWaiting: 32,
  waitTimeoutMs: 2000,
  computeRetryAfter: () => 1,
}

/** Finds the dominant colour of a picture. Clients take turns. */
export type AnalyseColor = (bytes: Buffer, client?: string) => Promise<string>

export type ColorFinder = ReturnType<typeof createColorFinder>

/**
 * Finds the colours of pictures when they are first requested: decoding 100,000 pictures at the start would take hours.
 * The results are stored for the next start.
 */
export function createColorFinder(analyse: AnalyseColor, cache: FileCache<FileEntry>) {
  const semaphore = createFairSemaphore(analysisLimits)
  const share = createFairSingleFlight<string>()

  async function read(folder: string, picture: Picture, client: string | undefined): Promise<string> {
    using _slot = await semaphore.acquire(client === undefined ? [] : listNetworks(client))
    const { name, stamp, id, type, width, height } = picture
    const path = `${folder}/${name}`
    const bytes = await readFile(path)
    if (digestOf(bytes) !== id) throw new Busy(1)
    const color = await analyse(bytes, client).catch((error: unknown) => {
      if (error instanceof ApiError && error.status < 500) return UNKNOWN_COLOR
      throw error
    })
    cache.put(path, stamp, { picture: { id, type, width, height, color } })
    return color
  }

  /** For the pictures of one folder. */
  return (folder: string): FindColor =>
    async (picture, client) => {
      const key = JSON.stringify([folder, picture.name, picture.id])
      const finding = share(key, client ?? '', new AbortController().signal, () => read(folder, picture, client))
      // Too many at once, or the file has changed: the next request tries again.
      return finding.then(({ value }) => value).catch(() => null)
    }
}
