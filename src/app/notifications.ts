// Connects the events of all parts to the webhooks of the operator.
import type { Config } from '../config/config.ts'
import { nameService, watchEvents } from '../features/notifications/index.ts'
import { createScrubber, readLogOptions } from '../platform/logging/index.ts'
import type { Sample, Snapshot } from '../platform/metrics/index.ts'
import type { Problems } from './node-state.ts'
import type { Services } from './open-services.ts'

interface NotificationSources {
  readonly services: Services
  readonly problems: Problems
  readonly readMetrics: () => Promise<Snapshot>
}

/** Undefined if there are no webhooks, or if another worker sends the messages. */
export function startNotifications(config: Config, { services, problems, readMetrics }: NotificationSources) {
  const { notifier, store, releases, bans } = services
  if (!notifier) return undefined
  const scrub = createScrubber(readLogOptions(config).hiddenFolders)
  const name = nameService(config.PUBLIC_URL)
  return watchEvents({
    markers: store.markers,
    // Problems may name folders and addresses. Those of releases and other messages have none, and a version such as
    // 8.7.3.1 looks like an address.
    listProblems: () =>
      problems
        .list()
        .map((problem) => (problem.part === 'releases' ? problem : { ...problem, message: scrub(problem.message) })),
    listPublicReleases: releases.listPublic,
    listReleases: () => Object.values(releases.catalogue().releases).flat(),
    clients: store.clients,
    countBans: (since) => bans.countAutomatic(since),
    readCounts: async () => {
      const { requests, bansAdded } = await readMetrics()
      return { requests: sum(requests), bans: sum(bansAdded) }
    },
    readDownloads: store.downloads.rows,
    send: (notification) => notifier.send({ ...notification, title: `${name}: ${notification.title}` }),
  })
}

const sum = (samples: readonly Sample[] = []) => samples.reduce((total, [, value]) => total + Number(value), 0)
