import { createChart } from './chart.ts'
import { offerCsv } from './csv.ts'
import { toChartData } from './downloads.ts'
import { formatCount, formatPercent } from './format.ts'
import { describeRollout } from './published.ts'
import { createPart, note, table, untrusted } from './rows.ts'
import type { AdoptionDay, Content, Release } from './types.ts'

/** Versions whose rollout the table shows. */
const MAX_SHOWN = 5

/** Update checks by version over time, and how far the newest releases have spread. */
export function createAdoption() {
  const part = createPart('adoption')
  const chart = createChart('adoption', { kind: 'stacked', format: formatPercent })
  offerCsv(part.root, '/adoption', 'adoption.csv')
  let days: readonly AdoptionDay[] = []
  let releases: readonly Release[] = []

  const draw = () => {
    const rows = days.flatMap(({ date: day, checks, versions }) =>
      Object.entries(versions).map(([version, count]) => ({ day, application: '', version, count: count / checks })),
    )
    const dates = days.map(({ date }) => date)
    chart.show(toChartData(rows, dates, 'version'))
    const today = days.at(-1)
    part.show({ today, releases }, () => {
      if (!today || today.checks === 0) return [note('No update checks today.')]
      const { checks, installations, versions } = today
      const senders = formatCount(installations, 'installation', 'installations')
      return [
        note(`Today: ${formatCount(checks, 'check', 'checks')} of about ${senders}.`),
        ...showReleases(releases, (version) => (versions[version] ?? 0) / checks),
      ]
    })
  }

  return {
    showDays(next: readonly AdoptionDay[] | null) {
      days = next ?? days
      draw()
    },
    showReleases({ releases: all }: Content) {
      const isPublished = ({ date, withdrawn }: Release) => !withdrawn && Date.parse(date) <= Date.now()
      releases = (all.launcher ?? []).filter(isPublished).slice(0, MAX_SHOWN)
      draw()
    },
  }
}

function showReleases(releases: readonly Release[], shareOf: (version: string) => number) {
  if (releases.length === 0) return []
  const rows = releases.map((release) => [
    untrusted(release.version),
    describeRollout(release),
    formatPercent(shareOf(release.version)),
  ])
  return [table('Rollout of the launcher', ['Version', 'Rollout', 'Share of checks today'], rows)]
}
