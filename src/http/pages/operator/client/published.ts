import { element, one } from '../../shared/client/dom.ts'
import { type Acting, act } from './acting.ts'
import { inBytes, onDate } from './format.ts'
import { createPart, nothing, outside, table, time } from './rows.ts'
import type { Content, Release } from './types.ts'

const MAX_SHOWN = 5

const stateOf = ({ date, beta = false, rollout = 100, withdrawn = false }: Partial<Release> & { date: string }) => {
  const when = Date.parse(date) > Date.now() ? 'scheduled' : rollout < 100 ? `offered to ${rollout} %` : 'public'
  return `${withdrawn ? 'withdrawn' : when}${beta ? ', beta' : ''}`
}

const older = (count: number, what: string) =>
  count > MAX_SHOWN ? [nothing(`And ${count - MAX_SHOWN} older of ${what}.`)] : []

/** Releases and news as they are published. */
export function createPublished(acting: Acting) {
  const part = createPart('content')
  const reload = one<HTMLButtonElement>('[data-reload]', part.root)
  reload.onclick = () =>
    void act(acting, { part: part.root, button: reload, path: '/reload', done: 'All files are read' })

  const row = (name: string, release: Content['resources'][number]) => [
    name,
    outside(release.version),
    stateOf(release),
    time(release.date, onDate(release.date)),
    inBytes(release.bytes),
  ]

  return ({ releases: all, resources, news, tiers }: Content) =>
    part.show({ all, resources, news, tiers }, () => {
      const lists = [...Object.entries(all), ['resources', resources] as const]
      const rows = lists.flatMap(([name, list]) => list.slice(0, MAX_SHOWN).map((release) => row(name, release)))
      const titles = news
        .slice(0, MAX_SHOWN)
        .map(({ title, date, file }) => [
          outside(title),
          stateOf({ date }),
          time(date, onDate(date)),
          element('code', {}, outside(file)),
        ])
      return [
        rows.length > 0
          ? table('Releases', ['Application', 'Version', 'State', 'Date', 'Size'], rows)
          : nothing('Nothing is released yet: “menagerie release publish” does it.'),
        ...lists.flatMap(([name, list]) => older(list.length, name)),
        element('h3', {}, 'News'),
        ...(news.length > 0
          ? [table('News', ['Title', 'State', 'Date', 'File'], titles), ...older(news.length, 'the news')]
          : [nothing('No news yet: “menagerie news add” writes some.')]),
        ...(tiers.length > 0 ? [element('p', { className: 'aside' }, `Tiers: ${tiers.join(', ')}.`)] : []),
      ]
    })
}
