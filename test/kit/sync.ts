import assert from 'node:assert/strict'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createPublisher, openNodeSync } from '../../src/features/publishing/index.ts'
import { temporaryFolder } from './folder.ts'
import type { TestRedis } from './redis.ts'
import { news, writeFiles } from './releases.ts'
import type { Scope } from './scope.ts'
import { until } from './until.ts'

export const DEFAULTS = { maxFileBytes: 100_000, maxBytes: 1_000_000, seedDelayMs: 0, sharedFolderDelayMs: 0 }

/** All files in a folder with their texts, without those of the service. */
export async function readTree(dir: string): Promise<Record<string, string>> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true }).catch(() => [])
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .filter((name) => !/(^|\/)\./.test(name))
  const texts = await Promise.all(names.sort().map(async (name) => [name, await readText(join(dir, name))]))
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined))
}

/** Undefined: a node has removed it since the folder was listed. */
const readText = (path: string) =>
  readFile(path, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })

export type SyncedNode = Awaited<ReturnType<typeof openSyncedNode>>

/** The publishing part of a node, without its service. */
export async function openSyncedNode(
  scope: Scope,
  storeUrl: string,
  files: Record<string, string> = {},
  options: { isShared?: boolean; contentDir?: string; maxBytes?: number } = {},
) {
  const folder = await temporaryFolder(scope)
  const { contentDir = join(folder, 'content'), isShared = false } = options
  const dataDir = join(folder, 'data')
  await mkdir(contentDir, { recursive: true })
  await writeFiles(contentDir, files)
  const log: { text: string; fields: object }[] = []
  const write = (fields: object, text: string) => void log.push({ text, fields })
  const open = async () =>
    (await openNodeSync(
      { storeUrl, contentDir, dataDir, ...DEFAULTS, ...options, isShared },
      { info: write, warn: write },
    ))!
  let sync = await open()
  scope.after(() => sync.close())
  return {
    contentDir,
    dataDir,
    log,
    get sync() {
      return sync
    },
    /** As a restart of the node. */
    async reopen() {
      await sync.close()
      sync = await open()
    },
    get publisher() {
      return createPublisher({ contentDir, dataDir, sync })
    },
    tree: () => readTree(contentDir),
  }
}

export const FILES = { 'app/news/first.md': news('First'), 'string/8ball.txt': 'yes\nno\n' }

/** A node that has begun the content with these files, and another one that has joined empty. */
export async function startSyncedPair(scope: Scope, server: TestRedis) {
  await server.command('FLUSHALL')
  const one = await openSyncedNode(scope, server.url, FILES)
  const two = await openSyncedNode(scope, server.url)
  await until(async () => {
    // Redis may not reply in time.
    for (const { sync } of [one, two]) await sync.update({ isNode: true }).catch(() => {})
    return two.sync.sequence() !== undefined
  })
  return { one, two }
}

export const putNews = ({ publisher }: SyncedNode, id: string, title = id) =>
  publisher.apply('news put', { id, title, markdown: title }, { by: 'a test' })

/** Lines that differ. */
export const createText = (lines: number) =>
  Array.from({ length: lines }, (_, line) => `${String(line).padStart(99, '0')}\n`).join('')

/** Copies of files that were replaced, without the version in their names. */
export const listCopies = async ({ dataDir }: SyncedNode) =>
  (await readdir(join(dataDir, 'sync/replaced'))).map((name) => name.replace(/-[\w-]{8}-/, '-'))

/** Asserts that the nodes have the same files and the same history. */
export async function assertSame(...nodes: SyncedNode[]): Promise<void> {
  const [first, ...others] = nodes
  for (const other of others) assert.deepEqual(await other.tree(), await first!.tree())
  const histories = await Promise.all(nodes.map(({ publisher }) => publisher.history.list(10)))
  for (const history of histories) assert.deepEqual(history, histories[0])
}
