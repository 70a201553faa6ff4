// Pictures of this very service as sources of filters: read where they are instead of asked for over the network, which
// a service on a private address may not do.
import { buffer } from 'node:stream/consumers'
import { ImageTooLarge, MediaNotFound } from '../errors/index.ts'
import type { Content } from '../features/content/index.ts'
import { OWN_PICTURE } from '../features/images/index.ts'
import type { Fetcher } from '../platform/net/index.ts'

const KEPT = 'public, max-age=31536000, immutable'
const RENEWED = 'no-cache'

export function withOwnPictures(fetcher: Fetcher, content: Content, maxBytes: number): Fetcher {
  return {
    ...fetcher,
    check: (url) => (url.startsWith(OWN_PICTURE) ? { href: new URL(url).href, recheck() {} } : fetcher.check(url)),
    get: async (url, options) => {
      if (!url.startsWith(OWN_PICTURE)) return fetcher.get(url, options)
      const [kind = '', file = ''] = url.slice(OWN_PICTURE.length).split('/').map(decoded)
      const picture = await content.media(kind, file)
      if (picture.size > maxBytes) throw new ImageTooLarge(maxBytes)
      const bytes = picture.open()
      const headers = { 'content-type': picture.type, 'cache-control': picture.immutable ? KEPT : RENEWED }
      return { url, status: 200, headers, body: Buffer.isBuffer(bytes) ? bytes : await buffer(bytes), redirects: [] }
    },
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // No picture has a name that is not text.
    throw new MediaNotFound()
  }
}
