// What an operator is shown of the services' records: times as text, and nothing that is only for the services.
import type { Client } from '../../../features/access/index.ts'
import type { Releases } from '../../../features/releases/index.ts'
import type { Ban, DownloadRow } from '../../../platform/store/index.ts'

type Catalogue = ReturnType<Releases['catalogue']>

const moment = (at: number) => new Date(at).toISOString()

export const shownClient = ({ createdAt, decidedAt, ...client }: Client) => ({
  ...client,
  createdAt: moment(createdAt),
  decidedAt: decidedAt === null ? null : moment(decidedAt),
})

export const shownBan = ({ at, until, ...ban }: Ban) => ({ ...ban, at: moment(at), until: moment(until) })

const shownSource = ({ version, date, bytes, source }: Catalogue['resources'][number]) => ({
  version,
  date,
  bytes,
  ...source,
})

export const shownCatalogue = ({ releases, resources, news, tiers }: Catalogue) => ({
  releases: Object.fromEntries(
    Object.entries(releases).map(([application, list]) => [
      application,
      list.map((release) => {
        const { beta, rollout, withdrawn } = release
        return { ...shownSource(release), beta, rollout, withdrawn }
      }),
    ]),
  ),
  resources: resources.map(shownSource),
  news: news.map(({ id, title, date, file }) => ({ id, title, date, file })),
  tiers: Object.keys(tiers).map(Number),
})

const DAY_MS = 86_400_000

/** By day, application and version. */
export function lastDaysOf(rows: readonly DownloadRow[], days: number): DownloadRow[] {
  const first = moment(Date.now() - (days - 1) * DAY_MS).slice(0, 10)
  return rows.filter(({ day }) => day >= first).sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
}
const placeOf = ({ day, application, version }: DownloadRow) => `${day} ${application} ${version}`

/** The names and versions hold no comma and no quote: their schemas see to that. */
export const csvOf = (rows: readonly DownloadRow[]) =>
  ['day,application,version,count', ...rows.map((row) => [row.day, row.application, row.version, row.count].join(','))]
    .map((line) => `${line}\r\n`)
    .join('')
