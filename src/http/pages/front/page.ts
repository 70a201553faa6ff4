import Type from 'typebox'
import type { Content } from '../../../features/content/index.ts'
import { uptimeSince } from '../../../features/developer/index.ts'
import { cache } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import { html } from '../shared/html.ts'
import type { Layout } from '../shared/layout.ts'
import type { AskOwn } from '../shared/own-reply.ts'
import { animalPanel } from './animal.ts'
import { catalogueList } from './catalogue.ts'
import { eightballPanel } from './eightball.ts'
import { filterTiles } from './filters.ts'
import { KAOMOJI_SHOWN, kaomojiPanel } from './kaomoji.ts'
import { numbers } from './numbers.ts'
import { messageOf, pictureAt } from './parts.ts'
import { videoPanel } from './video.ts'

interface FrontParts {
  readonly content: Content
  readonly ask: AskOwn
  readonly layout: Layout
  readonly version: string
  readonly startedAt: Date
}

const kind = (of: string) =>
  Type.String({ description: `The kind of ${of} to show first; one that is not there counts as none.` })

const anyOf = (kinds: readonly string[]) => kinds[Math.floor(Math.random() * kinds.length)] ?? ''

/** `/`: what this is, live. It is whole without a script; with one it changes without loading again. */
export function front({ content, ask, layout, version, startedAt }: FrontParts): Route {
  // The clock on the wall may jump; the one that performance reads does not.
  const uptime = uptimeSince(startedAt)
  return get(
    '/',
    {
      tag: 'Pages',
      summary: 'The page for people',
      query: { animal: kind('animal'), kaomoji: kind('kaomoji') },
      otherTypes: ['text/html'],
    },
    async (exchange) => {
      const { query, baseUrl: base } = exchange
      const animals = content.kinds('animals')
      const kaomojis = content.kinds('kaomoji')
      const animal = animals.find((known) => known === query.animal) ?? anyOf(animals)
      const kaomoji = kaomojis.find((known) => known === query.kaomoji) ?? kaomojis[0] ?? ''
      const video = anyOf(content.kinds('yt-video'))
      const [animalAsked, kaomojiAsked, answerAsked, videoAsked] = await Promise.all([
        ask('animal', animal, exchange),
        ask('kaomoji', kaomoji, exchange, KAOMOJI_SHOWN),
        ask('string', '8ball', exchange),
        ask('yt-video', video, exchange),
      ])
      const catalogue = content.catalogue()
      const shown = numbers({ catalogue, uptime: uptime(), version })
      const body = html`
${animalPanel({ name: 'animal', base, asked: animalAsked, kinds: animals, kind: animal, numbers: shown })}
${kaomojiPanel({ name: 'kaomoji', base, asked: kaomojiAsked, kinds: kaomojis, kind: kaomoji })}
${eightballPanel({ name: 'eightball', base, asked: answerAsked })}
${videoPanel({ name: 'video', base, asked: videoAsked, kind: video })}
${filterTiles(pictureAt(messageOf(animalAsked), base))}
${catalogueList(catalogue)}`
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
