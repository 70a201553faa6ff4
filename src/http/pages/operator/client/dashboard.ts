import { all, one } from '../../shared/client/dom.ts'
import type { ActionContext } from './actions.ts'
import { createAdoption } from './adoption.ts'
import { createBans } from './bans.ts'
import { createClients } from './clients.ts'
import { createDownloads } from './downloads.ts'
import { createHealth } from './health.ts'
import { createLiveSlots } from './live-slots.ts'
import { type Feed, type Polling, readRefreshInterval, startPolling } from './polling.ts'
import { createProblems } from './problems.ts'
import { createPublished } from './published.ts'
import { parseRange, stepOf, toQuery } from './range.ts'
import { type DashboardState, showTiles, usesApplication } from './tiles.ts'
import { createTraffic } from './traffic.ts'
import type { Ban, Client, Content, Download, Live, Overview, Token, Usage } from './types.ts'
import { createUsage } from './usage.ts'

const readRange = () => parseRange(one<HTMLInputElement>('[data-range] :checked').value)
const traffic = createTraffic()
const showUsage = createUsage(() => toQuery(readRange()))
const drawDownloads = createDownloads()
const adoption = createAdoption()
const showProblems = createProblems()
const showHealth = createHealth()

/** The longest range that the operator can choose. */
const MAX_DAYS = 400

/** Fills the dashboard and updates it until polling is stopped. */
export function openDashboard(token: Token, signedOut: (why: string) => void): Polling {
  const fastMs = readRefreshInterval()
  const slowMs = 3 * fastMs
  const mayWrite = token.scopes.includes('write')
  const state: DashboardState = {}
  const slots = createLiveSlots()
  const range = one('[data-range]')
  const step = () => stepOf(readRange())
  let since: number | undefined
  let asked = readRange()

  const context: ActionContext = { mayWrite, refresh: () => polling.refresh() }
  const showClients = createClients(context)
  const showBans = createBans(context)
  const showPublished = createPublished(context)
  for (const part of all('[data-writing]')) part.hidden = !mayWrite
  for (const note of all('[data-read-only]')) note.hidden = mayWrite

  const live: Feed = {
    intervalMs: fastMs,
    path: () => {
      since = slots.since(step())
      return `/live?step=${step()}${since === undefined ? '' : `&since=${since}`}`
    },
    show: (body: { live: Live }) => {
      if (body.live.step !== step()) return
      const merged = slots.take(body.live, since === undefined)
      // Another node answered, or the service restarted: load all its slots.
      if (!merged) return void polling.refresh(live)
      state.live = merged
      if ('minutes' in readRange()) traffic.showLive(merged)
      showTiles(state)
    },
  }
  const usage: Feed = {
    // Days are polled less often: only the last one changes, and reading many takes longer.
    get intervalMs() {
      return 'days' in readRange() ? 12 * fastMs : fastMs
    },
    path: () => {
      asked = readRange()
      return `/usage?${toQuery(asked)}`
    },
    show: (body: { usage: Usage }) => {
      if (toQuery(asked) !== toQuery(readRange())) return
      state.usage = body.usage
      state.range = asked
      showUsage(body.usage)
      if ('days' in asked) traffic.showDays(body.usage)
      showTiles(state)
    },
  }
  const showApplication = () => {
    for (const part of all('[data-application-only]')) part.hidden = !usesApplication(state)
    showTiles(state)
  }
  const feeds: Feed[] = [
    live,
    usage,
    {
      path: () => '/overview',
      intervalMs: fastMs,
      show: ({ overview }: { overview: Overview }) => {
        state.overview = overview
        showProblems(state)
        showHealth(overview, state.live)
        adoption.showDays(overview.adoption)
        showApplication()
      },
    },
    {
      path: () => '/clients',
      intervalMs: fastMs,
      show: ({ clients }: { clients: Client[] }) => {
        state.clients = clients
        showClients(clients)
        showApplication()
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
      path: () => `/downloads?days=${MAX_DAYS}`,
      intervalMs: slowMs,
      show: ({ downloads }: { downloads: Download[] }) => {
        state.downloads = downloads
        drawDownloads(downloads)
        showApplication()
      },
    },
  ]
  range.onchange = async () => {
    await polling.refresh(usage)
    await polling.refresh(live)
  }
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
