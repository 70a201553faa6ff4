// How the service is, on one screen of the operator.
import { uptimeSince } from './developer/index.ts'
import type { Limits } from './http/limits.ts'
import type { Route } from './http/route.ts'
import { trafficOf } from './http/traffic.ts'
import type { Snapshot } from './metrics/index.ts'
import type { Problems } from './problems.ts'
import type { Rooms } from './rooms.ts'

export interface Overseen {
  readonly rooms: Rooms
  readonly problems: Problems
  readonly limits: Limits
  readonly routes: () => readonly Route[]
  /** The numbers of all processes of this node. */
  readonly measured: () => Promise<Snapshot>
  readonly access: 'open' | 'registered'
}

export function createOverview({ rooms, problems, limits, routes, measured, access }: Overseen) {
  const uptime = uptimeSince(rooms.startedAt)
  return async () => ({
    version: rooms.version,
    ...uptime(),
    traffic: trafficOf((await measured()).requests ?? [], routes()),
    downloads: await rooms.statistics.downloads().catch(() => null),
    counter: rooms.counter.status(),
    pipeline: rooms.images.status(),
    sharedPictures: rooms.sharedPictures?.status() ?? null,
    limits: limits.status(),
    store: problems.store() ?? null,
    blocklist: rooms.blocklist.facts() ?? null,
    access,
    content: rooms.content.catalogue(),
    problems: problems.list(),
  })
}
