// Everything that an operator publishes, from another folder with only the program and a token.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { APP } from '../kit/app.ts'
import { commandLine } from '../kit/command-line.ts'
import { writeSettledFiles } from '../kit/content.ts'
import { startPublisher } from '../kit/operator.ts'
import { tinyPng } from '../kit/pictures.ts'
import { until } from '../kit/until.ts'

test('a release, news, pictures and a new kind are published, listed, undone and published again', async (t) => {
  const app = await startPublisher(t, {}, { RATE_LIMIT: 'off' })
  const MENAGERIE_TOKEN = app.token.Authorization.slice('Bearer '.length)
  const folder = await commandLine(t)
  const CONTENT_DIR = join(folder.folder, 'none')
  const laptop = await commandLine(t, { CONTENT_DIR, MENAGERIE_SERVER: app.url, MENAGERIE_TOKEN })
  const files = ['setup.exe', 'App.dmg', 'App.AppImage'].map(laptop.file)
  for (const file of files) await writeFile(file, `bytes of ${file}`)
  await writeFile(laptop.file('hello.md'), '---\ntitle: Hello\n---\nWorld')
  await writeFile(laptop.file('hello.de.md'), '---\ntitle: Hallo\n---\nWelt')
  const pictures = Array.from({ length: 100 }, (_, index) => [`${index}.png`, tinyPng(index)] as const)
  await writeSettledFiles(laptop.file('pictures'), Object.fromEntries(pictures))

  /** Returns the ids of the changes, newest first. */
  const publish = async (): Promise<string[]> => {
    await laptop.json('release', 'publish', 'launcher', '1.0.0', ...files)
    await laptop.json('news', 'add', laptop.file('hello.md'))
    await laptop.json('news', 'add', laptop.file('hello.de.md'))
    await laptop.json('content', 'add', 'capybara', laptop.file('pictures'), '--author', 'Ann', '--license', 'CC0-1.0')
    const { history } = await laptop.json('history', 'list', '--limit', '4')
    return history.map(({ id }: { id: number }) => String(id))
  }
  const read = async () => {
    const [release] = (await laptop.json('release', 'list')).releases
    const [news] = (await laptop.json('news', 'list')).news
    const kind = await laptop.run('content', 'list', 'capybara')
    const credited = kind.stdout.match(/ Ann +CC0-1\.0$/gm)?.length ?? 0
    return [release?.assets.length ?? 0, news?.translations.length ?? 0, credited]
  }
  const isServed = async () => {
    const [{ body: updates }, { body: news }] = [
      await app.fetchJson(`${APP}/launcher/updates`),
      await app.fetchJson(`${APP}/launcher/news?lang=de`),
    ]
    const picture = (await (await fetch(`${app.url}/api/v2/random/animal/capybara`)).json()) as any
    return [updates.latest, news.news[0]?.title, picture.item?.author]
  }
  const untilServed = (expected: unknown[]) =>
    until(async () => JSON.stringify(await isServed()) === JSON.stringify(expected))

  for (let round = 0; round < 2; round++) {
    const changes = await publish()
    assert.deepEqual(await read(), [3, 1, 100])
    await untilServed(['1.0.0', 'Hallo', 'Ann'])
    if (round === 1) break
    for (const id of changes) await laptop.json('history', 'undo', id)
    assert.deepEqual(await read(), [0, 0, 0])
    await untilServed([null, undefined, undefined])
  }
})
