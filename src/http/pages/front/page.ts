import Type from 'typebox'
import type { Content } from '../../../features/content/index.ts'
import { createUptimeClock } from '../../../features/developer/index.ts'
import { cache } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import type { SiteLimits } from '../guides/tables.ts'
import { html } from '../shared/html.ts'
import type { RequestInternally } from '../shared/internal-request.ts'
import type { Layout } from '../shared/layout.ts'
import { renderAvatarPanel } from './avatar.ts'
import {
  KAOMOJI_SHOWN,
  pictureUrl,
  renderCatalogue,
  renderCode,
  renderCosts,
  renderEightballPanel,
  renderFilterTiles,
  renderHero,
  renderKaomojiPanel,
  renderVideoPanel,
} from './panels.ts'

interface FrontOptions {
  readonly content: Content
  readonly requestInternally: RequestInternally
  readonly layout: Layout
  readonly version: string
  readonly startedAt: Date
  readonly limits: SiteLimits
}

const kindSchema = (category: string) =>
  Type.String({ description: `Kind of ${category} to show first. Unknown kinds are ignored.` })

const pickRandom = (kinds: readonly string[]) => kinds[Math.floor(Math.random() * kinds.length)] ?? ''

/** `/`: a live demonstration. It is complete without a script; with one it updates without reloading. */
export function frontRoute({ content, requestInternally, layout, version, startedAt, limits }: FrontOptions): Route {
  const uptime = createUptimeClock(startedAt)
  return get('/', {
    tag: 'Pages',
    summary: 'Front page',
    description: 'Shows what the service does, with live replies.',
    query: { animal: kindSchema('animal'), kaomoji: kindSchema('kaomoji') },
    otherTypes: ['text/html'],
    hasEtag: false,
    handle: async (ctx) => {
      const { query, baseUrl: base } = ctx
      const animals = content.kinds('animals')
      const kaomojis = content.kinds('kaomoji')
      const animal = animals.find((kind) => kind === query.animal) ?? pickRandom(animals)
      const kaomoji = kaomojis.find((kind) => kind === query.kaomoji) ?? kaomojis[0] ?? ''
      const video = pickRandom(content.kinds('yt-video'))
      const [animalReply, kaomojiReply, eightballReply, videoReply] = await Promise.all([
        requestInternally('animal', animal, ctx),
        requestInternally('kaomoji', kaomoji, ctx, KAOMOJI_SHOWN),
        requestInternally('string', '8ball', ctx),
        requestInternally('yt-video', video, ctx),
      ])
      const hero = { name: 'animal', base, reply: animalReply, kinds: animals, kind: animal } as const
      const kaomojiPanel = { name: 'kaomoji', base, reply: kaomojiReply, kinds: kaomojis, kind: kaomoji } as const
      const eightball = { name: '8ball', base, reply: eightballReply } as const
      const videos = { name: 'video', base, reply: videoReply } as const
      const others = [kaomojiPanel, eightball, videos].map(({ name, reply: { path } }) => ({ name, path }))
      const body = html`
${renderHero(hero)}
${renderCosts(limits)}
${renderAvatarPanel(base)}
<div class="toys">
${renderKaomojiPanel(kaomojiPanel)}
${renderEightballPanel(eightball)}
${renderVideoPanel(videos, video)}
</div>
${renderCode(hero, others)}
${renderFilterTiles(pictureUrl(animalReply, base))}
${renderCatalogue(content.catalogue(), uptime(), version)}
<div class="offline" role="alert" data-offline hidden><p data-offline-text></p><button class="press quiet" type="button" data-retry>Try again</button></div>`
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
  })
}
