// What remains when the newest release is withdrawn. Installations that have it are ahead of what is offered.
import { type Application, applications, type Channel, type Release } from './release.ts'
import { compareVersions } from './version.ts'

/** The newest public release below a version that its clients are offered. `releases` are sorted, newest first. */
export const findFallback = (releases: readonly Release[], { order, beta }: Release, now: number) =>
  releases.find(
    (other) =>
      !other.withdrawn &&
      Date.parse(other.date) <= now &&
      (beta || !other.beta) &&
      compareVersions(other.order, order) < 0,
  )

export interface WithdrawnNewest {
  readonly withdrawn: Release
  readonly fallback: Release | undefined
}

/** The channels whose newest version is withdrawn. */
export const findWithdrawnNewest = (
  catalogue: Readonly<Record<Application, readonly Release[]>>,
  now: number,
): WithdrawnNewest[] =>
  applications.flatMap((application) => {
    const due = catalogue[application].filter(({ date }) => Date.parse(date) <= now)
    const findNewest = (channel: Channel) => due.find(({ beta }) => channel === 'beta' || !beta)
    return [...new Set([findNewest('stable'), findNewest('beta')])].flatMap((withdrawn) =>
      withdrawn?.withdrawn ? [{ withdrawn, fallback: findFallback(due, withdrawn, now) }] : [],
    )
  })
