import Type from 'typebox'
import type { Content } from '../../../features/content/index.ts'
import { createUptimeClock } from '../../../features/developer/index.ts'
import { cache } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import { html } from '../shared/html.ts'
import type { RequestInternally } from '../shared/internal-request.ts'
import type { Layout } from '../shared/layout.ts'
import { renderAvatarPanel } from './avatar.ts'
import {
  KAOMOJI_SHOWN,
  pictureUrl,
  renderAnimalPanel,
  renderCatalogue,
  renderEightballPanel,
  renderFilterTiles,
  renderKaomojiPanel,
  renderNumbers,
  renderVideoPanel,
} from './panels.ts'

interface FrontOptions {
  readonly content: Content
  readonly ask: RequestInternally
  readonly layout: Layout
  readonly version: string
  readonly startedAt: Date
}

const kindSchema = (category: string) =>
  Type.String({ description: `Kind of ${category} to show first. Unknown kinds are ignored.` })

const pickRandom = (kinds: readonly string[]) => kinds[Math.floor(Math.random() * kinds.length)] ?? ''

/** `/`: a live demonstration. It is complete without a script; with one it updates without reloading. */
export function frontRoute({ content, ask, layout, version, startedAt }: FrontOptions): Route {
  const uptime = createUptimeClock(startedAt)
  return get(
    '/',
    {
      tag: 'Pages',
      summary: 'Front page',
      query: { animal: kindSchema('animal'), kaomoji: kindSchema('kaomoji') },
      otherTypes: ['text/html'],
    },
    async (ctx) => {
      const { query, baseUrl: base } = ctx
      const animals = content.kinds('animals')
      const kaomojis = content.kinds('kaomoji')
      const animal = animals.find((kind) => kind === query.animal) ?? pickRandom(animals)
      const kaomoji = kaomojis.find((kind) => kind === query.kaomoji) ?? kaomojis[0] ?? ''
      const video = pickRandom(content.kinds('yt-video'))
      const [animalReply, kaomojiReply, eightballReply, videoReply] = await Promise.all([
        ask('animal', animal, ctx),
        ask('kaomoji', kaomoji, ctx, KAOMOJI_SHOWN),
        ask('string', '8ball', ctx),
        ask('yt-video', video, ctx),
      ])
      const catalogue = content.catalogue()
      const body = html`
${renderAnimalPanel({ name: 'animal', base, reply: animalReply, kinds: animals, kind: animal }, renderNumbers(catalogue, uptime(), version))}
${renderAvatarPanel(base)}
${renderKaomojiPanel({ name: 'kaomoji', base, reply: kaomojiReply, kinds: kaomojis, kind: kaomoji })}
${renderEightballPanel({ name: 'eightball', base, reply: eightballReply })}
${renderVideoPanel({ name: 'video', base, reply: videoReply }, video)}
${renderFilterTiles(pictureUrl(animalReply, base))}
${renderCatalogue(catalogue)}`
      return layout({
        path: './',
        title: 'Menagerie: small animals, one request away',
        description: 'Random animals, kaomoji, 8ball answers and videos, and image filters, from one free HTTP API.',
        script: 'front.js',
        body,
        base,
        cache: cache.none,
      })
    },
  )
}
