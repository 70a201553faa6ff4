// Starts a service with example data in temporary folders, for screenshots of the pages.
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Service, startService } from '../src/app/start-service.ts'
import { readConfig } from '../src/config/config.ts'
import { createClients, createTokens } from '../src/features/access/index.ts'
import { artistKinds } from '../src/features/content/index.ts'
import { openStore, type Store } from '../src/platform/store/index.ts'

const ROOT = join(import.meta.dirname, '..')
const DAY_MS = 86_400_000
const log = { info() {}, warn() {}, error() {} }

const release = (version: string, daysAgo: number, fields: object = {}) =>
  JSON.stringify({
    version,
    date: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
    url: `https://downloads.example.org/${version}.exe`,
    bytes: 84_200_000,
    sha256: 'ab'.repeat(32),
    ...fields,
  })

const RELEASES = `launcher:
  - ${release('2.2.0', 2, { rollout: 25 })}
  - ${release('2.1.0', 16)}
  - ${release('2.0.3', 40)}
reshade:
  - ${release('6.0.0', 9)}
fpsUnlocker:
  - ${release('1.4.1', 21)}
`
const NEWS = `---
title: Staged rollout of launcher 2.2
date: ${new Date(Date.now() - 2 * DAY_MS).toISOString()}
---
A quarter of all installations gets it first.
`

async function fillStore(store: Store): Promise<string> {
  const rows = Array.from({ length: 30 }, (_, ago) => {
    const day = new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10)
    const wave = 1 + Math.sin(ago * 0.9) * 0.3
    return [
      ...(ago <= 2 ? [{ day, application: 'launcher', version: '2.2.0', count: Math.round(70 * wave) }] : []),
      ...(ago <= 16
        ? [{ day, application: 'launcher', version: '2.1.0', count: Math.round((240 - ago * 4) * wave) }]
        : []),
      { day, application: 'launcher', version: '2.0.3', count: Math.round((ago <= 16 ? 40 : 210) * wave) },
      { day, application: 'reshade', version: '6.0.0', count: Math.round(60 * wave) },
      { day, application: 'fpsUnlocker', version: '1.4.1', count: Math.round(35 * wave) },
    ]
  }).flat()
  await store.downloads.add({ writer: 'example', number: 1, rows })
  const clients = createClients(store.clients)
  const submitRequest = (name: string, contact: string, reason: string) =>
    clients.submitRequest({ name, contact, reason })
  const granted = await submitRequest('Foxglove Launcher', 'dev@foxglove.example', 'Checks for updates once a day.')
  await clients.grant(granted.id)
  await submitRequest('مصباح', 'me@example.org', 'A tray icon that shows the news of the launcher.')
  const hour = DAY_MS / 24
  const now = Date.now()
  const ban = { by: 'automatic', at: now - hour, until: now + 23 * hour }
  await store.bans.put([
    { ...ban, address: '203.0.113.77', reason: "attack on the operator's endpoints (traversal)" },
    {
      ...ban,
      address: '2001:db8:4:2::/64',
      reason: 'scraping of the filters',
      by: 'operator',
      until: now + 160 * hour,
    },
  ])
  return (await createTokens(store.tokens).create('dashboard', ['read', 'write'], now + 90 * DAY_MS)).secret
}

export interface Example extends AsyncDisposable {
  readonly url: string
  readonly token: string
}

export async function startExample(): Promise<Example> {
  const folder = await mkdtemp(join(tmpdir(), 'menagerie-example-'))
  const [CONTENT_DIR, DATA_DIR] = [join(folder, 'content'), join(folder, 'data')]
  await cp(join(ROOT, 'content'), CONTENT_DIR, { recursive: true })
  await mkdir(join(CONTENT_DIR, 'app', 'news'), { recursive: true })
  await writeFile(join(CONTENT_DIR, 'app', 'releases.yaml'), RELEASES)
  await writeFile(join(CONTENT_DIR, 'app', 'news', 'launcher-2-2.md'), NEWS)
  await mkdir(DATA_DIR)
  const store = await openStore('', { dataDir: DATA_DIR, log })
  const token = await fillStore(store)
  await store.close()
  const service: Service = await startService(readConfig({ PORT: '0', RATE_LIMIT: 'off', CONTENT_DIR, DATA_DIR }))
  return {
    url: service.url,
    token,
    async [Symbol.asyncDispose]() {
      await service.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const FILTERS = ['blur', 'greyscale', 'invert', 'contrast', 'dither565', 'normalize']
const pickRandom = (list: readonly string[]) => list[Math.floor(Math.random() ** 1.6 * list.length)] ?? ''

/** Sends requests in waves, like visitors, until the signal aborts. */
export async function simulateVisitors(url: string, signal: AbortSignal): Promise<void> {
  const pictures = artistKinds.map((kind, n) => `${url}/media/animals/${kind}/~${n}.png`)
  const paths = [
    () => `/api/v2/random/animal/${pickRandom(artistKinds)}`,
    () => `/api/v1/kaomoji/${pickRandom(['cat', 'owo', 'uwu'])}`,
    () => '/api/v1/version',
    () => '/api/v5/app/launcher/updates',
    () => `/api/v5/app/download/launcher?version=${pickRandom(['2.1.0', '2.0.3'])}`,
    () => `/api/v2/filter/${pickRandom(FILTERS)}?image=${encodeURIComponent(pickRandom(pictures))}`,
    () => `/api/v2/random/animal/${pickRandom(['unicorn', 'dragon'])}`,
  ]
  const weighted = [30, 14, 10, 12, 3, 9, 2].flatMap((weight, n) => Array<number>(weight).fill(n))
  const next = () => paths[weighted[Math.floor(Math.random() * weighted.length)] ?? 0]!
  const get = (path: string) =>
    fetch(url + path, { signal, redirect: 'manual' }).then(
      (reply) => reply.arrayBuffer(),
      () => undefined,
    )
  for (let n = 0; !signal.aborted; n++) {
    const requests = Math.round(5 + 4 * Math.sin(n / 60) + Math.random() * 4)
    await Promise.all(Array.from({ length: requests }, () => get(next()())))
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
