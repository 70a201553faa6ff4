import { all, one } from '../../shared/client/dom.ts'
import type { Acting } from './acting.ts'
import { createBans } from './bans.ts'
import { createClients } from './clients.ts'
import { type Contact, type Feed, keepContact } from './contact.ts'
import { createDownloads, DAYS } from './downloads.ts'
import { createGroups } from './groups.ts'
import { createHealth } from './health.ts'
import { createHistory } from './history.ts'
import { createProblems } from './problems.ts'
import { createPublished } from './published.ts'
import type { Session } from './session.ts'
import { type Known, showTiles } from './tiles.ts'
import { createTraffic } from './traffic.ts'
import type { Ban, Client, Content, Download, Live, Overview } from './types.ts'

const OFTEN_MS = 5000
const SELDOM_MS = 15_000

const drawTraffic = createTraffic()
const drawDownloads = createDownloads()
const showProblems = createProblems()
const showGroups = createGroups()
const showHealth = createHealth()

/** Fills the screen and keeps it fresh until the contact is stopped. */
export function openBoard({ token, client }: Session, signedOut: (why: string) => void): Contact {
  const mayWrite = token.scopes.includes('write')
  const known: Known = {}
  const history = createHistory()
  const range = one('[data-range]')
  const step = () => Number(one<HTMLInputElement>(':checked', range).value)
  let asked: number | undefined

  const acting: Acting = { mayWrite, client, refresh: () => contact.refresh() }
  const showClients = createClients(acting)
  const showBans = createBans(acting)
  const showPublished = createPublished(acting)
  for (const part of all('[data-writing]')) part.hidden = !mayWrite
  for (const note of all('[data-read-only]')) note.hidden = mayWrite

  const live: Feed = {
    everyMs: OFTEN_MS,
    path: () => {
      asked = history.since(step())
      return `/live?step=${step()}${asked === undefined ? '' : `&since=${asked}`}`
    },
    show: (body: { live: Live }) => {
      if (body.live.step !== step()) return
      const whole = history.take(body.live, asked === undefined)
      // Another node answered, or the service was started again: ask for all it has.
      if (!whole) return void contact.refresh(live)
      known.live = whole
      drawTraffic(whole)
      showGroups(whole)
      showTiles(known)
    },
  }
  const feeds: Feed[] = [
    live,
    {
      path: () => '/overview',
      everyMs: OFTEN_MS,
      show: ({ overview }: { overview: Overview }) => {
        known.overview = overview
        showProblems(overview)
        showHealth(overview, known.live)
        showTiles(known)
      },
    },
    {
      path: () => '/clients',
      everyMs: OFTEN_MS,
      show: ({ clients }: { clients: Client[] }) => {
        known.clients = clients
        showClients(clients)
        showTiles(known)
      },
    },
    {
      path: () => '/bans',
      everyMs: OFTEN_MS,
      show: ({ bans, total }: { bans: Ban[]; total: number }) => {
        known.banned = total
        showBans(bans, total)
        showTiles(known)
      },
    },
    { path: () => '/content', everyMs: SELDOM_MS, show: (content: Content) => showPublished(content) },
    {
      path: () => `/downloads?days=${DAYS}`,
      everyMs: SELDOM_MS,
      show: ({ downloads }: { downloads: Download[] }) => drawDownloads(downloads),
    },
  ]
  range.onchange = () => void contact.refresh(live)
  const contact = keepContact(feeds, signedOut)
  return contact
}
