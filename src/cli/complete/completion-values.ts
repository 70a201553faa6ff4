import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Store } from '../../platform/store/index.ts'
import { withReleases, withStore } from '../open.ts'
import type { Candidate, Held, HeldThing } from './offer.ts'

type Source = (config: Config, given: readonly string[]) => Promise<readonly Candidate[]>

const inStore =
  (list: (store: Store) => Promise<Candidate[]>): Source =>
  async (config) => {
    const { sqliteFile } = await import('../../platform/store/index.ts')
    const file = sqliteFile(config.STORE_URL, config.DATA_DIR)
    // Opening would make the file, and a Tab must leave nothing behind.
    return file !== undefined && !existsSync(file) ? [] : withStore(config, list)
  }

const sources: Record<HeldThing, Source> = {
  async kinds({ CONTENT_DIR }) {
    const { artistKinds } = await import('../../features/content/index.ts')
    const own = await readdir(join(CONTENT_DIR, 'animals'), { withFileTypes: true }).catch(() => [])
    const kinds = new Set([...artistKinds, ...own.filter((entry) => entry.isDirectory()).map(({ name }) => name)])
    return [...kinds].map((value) => ({ value, help: '' }))
  },
  releases: (config, [wanted]) =>
    withReleases(config, async ({ listReleases }, dir) =>
      (await listReleases(dir))
        .filter(({ application }) => application === wanted)
        .map(({ version, state }) => ({ value: version, help: state })),
    ),
  news: (config) =>
    withReleases(config, async ({ listNews }, dir) =>
      (await listNews(dir)).news.map(({ id, title }) => ({ value: id, help: title })),
    ),
  clients: inStore(async ({ clients }) =>
    (await clients.list()).map(({ id, name, state }) => ({ value: id, help: `${name}, ${state}` })),
  ),
  tokens: inStore(async ({ tokens }) => (await tokens.list()).map(({ id, label }) => ({ value: id, help: label }))),
  bans: inStore(async ({ bans }) =>
    (await bans.list()).map(({ address, reason }) => ({ value: address, help: reason })),
  ),
}

/** Whoever presses Tab wants no error in the middle of the line: what cannot be read is not offered. */
export const heldIn =
  (config: Config): Held =>
  (thing, given) =>
    sources[thing](config, given).catch(() => [])
