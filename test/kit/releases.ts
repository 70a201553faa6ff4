import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import {
  electronFiles,
  type FeedFormat,
  loadFeedGenerator,
  openReleases,
  type Releases,
} from '../../src/features/releases/index.ts'
import { createReleasePresenter } from '../../src/http/api/product/release-presenter.ts'
import { temporaryFolder } from './folder.ts'

export const BASE = 'https://menagerie.example/api/v5/app'
export const SHA256 = 'ab'.repeat(32)

export const silentLog = { info() {}, warn() {}, error() {} }

/** A record of releases.yaml as one line of YAML, which is JSON. */
export const record = (version: string, fields: object = {}) =>
  JSON.stringify({
    version,
    date: '2026-01-01',
    ...('file' in fields ? {} : { url: `https://cdn.example/${version}.exe` }),
    bytes: 84_200_000,
    sha256: SHA256,
    ...fields,
  })

/** A record with several assets. Each has a URL that ends with its name, "a.exe" by default. */
export const assets = (version: string, ...list: readonly Readonly<Record<string, unknown>>[]) =>
  JSON.stringify({
    version,
    date: '2026-01-01',
    assets: list.map(({ name = 'a.exe', ...fields }) => ({
      ...('file' in fields ? {} : { url: `https://cdn.example/${version}/${name}` }),
      bytes: 5,
      sha256: SHA256,
      ...fields,
    })),
  })

export const releasesYaml = (lists: Record<string, string[]>) =>
  Object.entries(lists)
    .map(([name, records]) => `${name}:\n${records.map((line) => `  - ${line}\n`).join('')}`)
    .join('')

export const news = (title: string, date = '2026-01-01', body = 'Hello.') =>
  `---\ntitle: ${JSON.stringify(title)}\ndate: ${date}\n---\n${body}\n`

export async function writeFiles(dir: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), text)
  }
}

/** Releases of a temporary folder with these files, with the values of the v5 replies. */
export async function openTestReleases(t: TestContext, files: Record<string, string>, now?: () => number) {
  const dir = await temporaryFolder(t)
  await writeFiles(dir, files)
  // Files that were just written would delay the opening until they have settled.
  const past = new Date(Date.now() - 60_000)
  for (const name of Object.keys(files)) await utimes(join(dir, name), past, past)
  const releases = await openReleases({ dir, log: silentLog, ...(now && { now }) })
  t.after(() => releases.close())
  return { dir, releases: withReplies(releases) }
}

export function withReplies(releases: Releases) {
  const values = createReleasePresenter(releases)
  const newsFeed = async (base: string, format: FeedFormat, language?: string) =>
    values.newsFeed(base, format, await loadFeedGenerator(), language)
  const electron = (base: string, client: string, file = 'latest.yml') =>
    values.electron(base, electronFiles.get(file)!, client)
  return { ...releases, ...values, newsFeed, electron }
}

/** A minisign signature in Base64, as Tauri's bundler writes it. Older bundlers do not sign the version. */
export const tauriSignature = (version?: string) =>
  Buffer.from(
    'untrusted comment: signature from tauri secret key\nRUQ=\n' +
      `trusted comment: timestamp:1790000000\tfile:setup.exe${version ? `\tversion:${version}` : ''}\nAAA=\n`,
  ).toString('base64')
export const SIGNATURE = tauriSignature()
