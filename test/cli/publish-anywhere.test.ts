// Everything that an operator publishes, from another folder with only the program and a token.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { APP } from '../kit/app.ts'
import { commandLine } from '../kit/command-line.ts'
import { writeSettledFiles } from '../kit/content.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { startPublisher } from '../kit/operator.ts'
import { tinyPng } from '../kit/pictures.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { writeFiles } from '../kit/releases.ts'
import type { Scope } from '../kit/scope.ts'
import { createOperatorHeaders, fetchJson, startNode } from '../kit/service-process.ts'
import { untilEqual } from '../kit/until.ts'

const title = 'a release, news, pictures and a new kind are published, listed, undone and published again'

test(`${title} on one service`, async (t) => {
  const { url, token } = await startPublisher(t, {}, { RATE_LIMIT: 'off' })
  // More pictures than one request carries.
  await publishTwice(t, [url], token.Authorization, 101)
})

test(`${title} on two nodes with Redis`, needsRedis, async (t) => {
  const { url: STORE_URL } = await startRedis(t)
  const start = async () => {
    const folder = await temporaryFolder(t)
    const [CONTENT_DIR, DATA_DIR] = [join(folder, 'content'), join(folder, 'data')]
    await writeFiles(CONTENT_DIR, { 'string/8ball.txt': 'yes\nno\n' })
    return startNode(t, { STORE_URL, CONTENT_DIR, DATA_DIR, V5_ACCESS: 'open', RATE_LIMIT: 'off', LOG_LEVEL: 'silent' })
  }
  const nodes = await Promise.all([start(), start()])
  const { authorization = '' } = await createOperatorHeaders(STORE_URL)
  await publishTwice(
    t,
    nodes.map(({ url }) => url),
    authorization,
    3,
  )
})

/** Commands act on the first node. */
async function publishTwice(t: Scope, urls: readonly string[], authorization: string, count: number): Promise<void> {
  const MENAGERIE_TOKEN = authorization.slice('Bearer '.length)
  const folder = await commandLine(t)
  const CONTENT_DIR = join(folder.folder, 'none')
  const laptop = await commandLine(t, { CONTENT_DIR, MENAGERIE_SERVER: urls[0]!, MENAGERIE_TOKEN })
  const files = ['setup.exe', 'App.dmg', 'App.AppImage'].map(laptop.file)
  for (const file of files) await writeFile(file, `bytes of ${file}`)
  await writeFile(laptop.file('hello.md'), '---\ntitle: Hello\n---\nWorld')
  await writeFile(laptop.file('hello.de.md'), '---\ntitle: Hallo\n---\nWelt')
  const pictures = Array.from({ length: count }, (_, index) => [`${index}.png`, tinyPng(index)] as const)
  await writeSettledFiles(laptop.file('pictures'), Object.fromEntries(pictures))

  /** Returns the ids of the changes, newest first. */
  const publish = async (): Promise<string[]> => {
    await laptop.json('release', 'publish', 'launcher', '1.0.0', ...files)
    await laptop.json('news', 'add', laptop.file('hello.md'))
    await laptop.json('news', 'add', laptop.file('hello.de.md'))
    await laptop.json('content', 'add', 'capybara', laptop.file('pictures'), '--author', 'Ann', '--license', 'CC0-1.0')
    const { history } = await laptop.json('history', 'list')
    return history.map(({ id }: { id: number }) => String(id))
  }
  const read = async () => {
    const [release] = (await laptop.json('release', 'list')).releases
    const [news] = (await laptop.json('news', 'list')).news
    const kind = await laptop.run('content', 'list', 'capybara')
    const credited = kind.stdout.match(/\tAnn\tCC0-1\.0\t/gm)?.length ?? 0
    return [release?.assets.length ?? 0, news?.translations.length ?? 0, credited]
  }
  const readServed = async (url: string) => {
    const updates = await fetchJson(`${url}${APP}/launcher/updates`)
    const { news } = await fetchJson(`${url}${APP}/launcher/news?lang=de`)
    const { item } = await fetchJson(`${url}/api/v2/random/animal/capybara`)
    return [updates.latest, news[0]?.title, item?.author]
  }
  const untilServed = (expected: unknown[]) =>
    Promise.all(urls.map((url) => untilEqual(() => readServed(url), expected)))

  for (let round = 0; round < 2; round++) {
    const changes = await publish()
    assert.deepEqual(await read(), [3, 1, count])
    await untilServed(['1.0.0', 'Hallo', 'Ann'])
    if (round === 1) break
    for (const id of changes) await laptop.json('history', 'undo', id)
    assert.deepEqual(await read(), [0, 0, 0])
    await untilServed([null, undefined, undefined])
  }
}
