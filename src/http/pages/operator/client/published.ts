import { element, one } from '../../shared/client/dom.ts'
import { type ActionContext, runAction } from './actions.ts'
import { formatBytes, formatDateTime, formatMoment } from './format.ts'
import { createPart, formatCommand, note, table, time, untrusted } from './rows.ts'
import type { Content, Release } from './types.ts'

const MAX_SHOWN = 5

/** A rollout in words, such as "10 % now, 50 % at 17:00". */
export function describeRollout({ rollout, ramp }: Pick<Release, 'rollout' | 'ramp'>): string {
  const { state, nextStep, failures } = ramp ?? {}
  if (nextStep) return `${rollout} % now, ${nextStep.percent} % at ${formatMoment(nextStep.date)}`
  if (state === 'paused') return `paused at ${rollout} %`
  if (state === 'stopped') return `stopped at ${rollout} %: ${failures?.failed} of ${failures?.total} failed`
  return rollout < 100 ? `offered to ${rollout} %` : 'public'
}

const stateOf = ({
  date,
  beta = false,
  rollout = 100,
  ramp,
  withdrawn = false,
}: Partial<Release> & { date: string }) => {
  const when = Date.parse(date) > Date.now() ? 'scheduled' : describeRollout({ rollout, ...(ramp && { ramp }) })
  return `${withdrawn ? 'withdrawn' : when}${beta ? ', beta' : ''}`
}

const older = (count: number, what: string) =>
  count > MAX_SHOWN ? [note(`${count - MAX_SHOWN} older entries of ${what} are not shown.`)] : []

export function createPublished(context: ActionContext) {
  const part = createPart('content')
  const reload = one<HTMLButtonElement>('[data-reload]', part.root)
  reload.onclick = () =>
    void runAction(context, { part: part.root, button: reload, path: '/reload', done: 'Files reloaded' })

  const row = (name: string, release: Content['resources'][number]) => [
    name,
    untrusted(release.version),
    stateOf(release),
    time(release.date, formatDateTime(release.date)),
    formatBytes(release.bytes),
  ]

  return ({ releases: all, resources, news, tiers }: Content) =>
    part.show({ all, resources, news, tiers }, () => {
      const lists = [...Object.entries(all), ['resources', resources] as const]
      const rows = lists.flatMap(([name, list]) => list.slice(0, MAX_SHOWN).map((release) => row(name, release)))
      const titles = news
        .slice(0, MAX_SHOWN)
        .map(({ title, date, file }) => [
          untrusted(title),
          stateOf({ date }),
          time(date, formatDateTime(date)),
          element('code', {}, untrusted(file)),
        ])
      return [
        rows.length > 0
          ? table('Releases', ['Application', 'Version', 'State', 'Date', 'Size'], rows)
          : note(`No releases yet. Publish one with “${formatCommand('release publish')}”.`),
        ...lists.flatMap(([name, list]) => older(list.length, name)),
        element('h3', {}, 'News'),
        ...(news.length > 0
          ? [table('News', ['Title', 'State', 'Date', 'File'], titles), ...older(news.length, 'news')]
          : [note(`No news yet. Add some with “${formatCommand('news add')}”.`)]),
        ...(tiers.length > 0 ? [element('p', { className: 'aside' }, `Tiers: ${tiers.join(', ')}.`)] : []),
      ]
    })
}
