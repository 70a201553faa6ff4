import { all, one } from '../../shared/client/dom.ts'
import type { ActionContext } from './actions.ts'
import { createAdoption } from './adoption.ts'
import { createBans } from './bans.ts'
import { createClients } from './clients.ts'
import { createDownloads, DAYS } from './downloads.ts'
import { createGroups } from './groups.ts'
import { createHealth } from './health.ts'
import { createHistory } from './history.ts'
import { type Feed, type Polling, readRefreshInterval, startPolling } from './polling.ts'
import { createProblems } from './problems.ts'
import { createPublished } from './published.ts'
import type { Session } from './session.ts'
import { type DashboardState, showTiles } from './tiles.ts'
import { createTraffic } from './traffic.ts'
import type { Ban, Client, Content, Download, Live, Overview } from './types.ts'

const drawTraffic = createTraffic()
const drawDownloads = createDownloads()
const adoption = createAdoption()
const showProblems = createProblems()
const showGroups = createGroups()
const showHealth = createHealth()

/** Fills the dashboard and updates it until polling is stopped. */
export function openBoard({ token, client }: Session, signedOut: (why: string) => void): Polling {
  const fastMs = readRefreshInterval()
  const slowMs = 3 * fastMs
  const mayWrite = token.scopes.includes('write')
  const state: DashboardState = {}
  const history = createHistory()
  const range = one('[data-range]')
  const step = () => Number(one<HTMLInputElement>(':checked', range).value)
  let since: number | undefined

  const context: ActionContext = { mayWrite, client, refresh: () => polling.refresh() }
  const showClients = createClients(context)
  const showBans = createBans(context)
  const showPublished = createPublished(context)
  for (const part of all('[data-writing]')) part.hidden = !mayWrite
  for (const note of all('[data-read-only]')) note.hidden = mayWrite

  const live: Feed = {
    intervalMs: fastMs,
    path: () => {
      since = history.since(step())
      return `/live?step=${step()}${since === undefined ? '' : `&since=${since}`}`
    },
    show: (body: { live: Live }) => {
      if (body.live.step !== step()) return
      const merged = history.take(body.live, since === undefined)
      // Another node answered, or the service restarted: load its whole history.
      if (!merged) return void polling.refresh(live)
      state.live = merged
      drawTraffic(merged)
      showGroups(merged)
      showTiles(state)
    },
  }
  const feeds: Feed[] = [
    live,
    {
      path: () => '/overview',
      intervalMs: fastMs,
      show: ({ overview }: { overview: Overview }) => {
        state.overview = overview
        showProblems(state)
        showHealth(overview, state.live)
        adoption.showDays(overview.adoption)
        showTiles(state)
      },
    },
    {
      path: () => '/clients',
      intervalMs: fastMs,
      show: ({ clients }: { clients: Client[] }) => {
        state.clients = clients
        showClients(clients)
        showTiles(state)
      },
    },
    {
      path: () => '/bans',
      intervalMs: fastMs,
      show: ({ bans, total }: { bans: Ban[]; total: number }) => {
        showBans(bans, total)
      },
    },
    {
      path: () => '/content',
      intervalMs: slowMs,
      show: (content: Content) => {
        showPublished(content)
        adoption.showReleases(content)
      },
    },
    {
      path: () => `/downloads?days=${DAYS}`,
      intervalMs: slowMs,
      show: ({ downloads }: { downloads: Download[] }) => drawDownloads(downloads),
    },
  ]
  range.onchange = () => void polling.refresh(live)
  const root = one('.operator')
  const contactChanged = (lostSince?: string) => {
    state.lostSince = lostSince
    root.classList.toggle('out-of-contact', lostSince !== undefined)
    showTiles(state)
    showProblems(state)
  }
  contactChanged()
  const polling = startPolling(feeds, { signedOut, contactChanged })
  return polling
}
