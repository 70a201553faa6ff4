// Random endpoints with everything enabled, compared with bare node:http that sends the same headers and a body of the
// same length; small and large collections; pictures from memory; and Express as such services commonly use it.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  bench,
  type Contender,
  compare,
  printTable,
  startBareCopyOf,
  startMenagerie,
  startServer,
  temporaryFolder,
} from './harness.ts'
import { createTinyPng } from './pictures.ts'

const SMALL_COUNT = 10
const LARGE_COUNT = 100_000
/** Typical numbers of pictures. Express reads the folder for each request, so its speed depends on them. */
const TYPICAL_COUNTS = [100, 1000]
const LOAD = { rounds: 5, seconds: 2 }

/** Creates a content folder with cat pictures. */
function createContent(count: number): string {
  const dir = temporaryFolder()
  const cats = join(dir, 'animals', 'cat')
  mkdirSync(cats, { recursive: true })
  for (let i = 0; i < count; i++) writeFileSync(join(cats, `cat-${String(i).padStart(6, '0')}.png`), createTinyPng(i))
  return dir
}

async function compareWithBare(name: string, url: string): Promise<void> {
  const bare = await startBareCopyOf(url)
  printTable(
    name,
    compare(
      [
        { name: 'bare node:http', url: bare },
        { name: 'Menagerie', url },
      ],
      LOAD,
    ),
  )
}

await bench(async () => {
  const smallDir = createContent(SMALL_COUNT)
  const small = await startMenagerie({ CONTENT_DIR: smallDir })
  for (const path of [
    '/api/v1/animals/cat',
    '/api/v1/animals/dog',
    '/api/v1/string/8ball',
    '/api/v1/kaomoji/uwu',
    '/api/v2/random/animal/cat',
    '/api/v2/random/animal/dog',
    '/api/v2/random/kaomoji/uwu',
    '/api/v2/random/yt-video/hl-cats',
  ]) {
    await compareWithBare(`GET ${path}`, small + path)
  }
  await compareWithBare('GET /media/animals/dog/~bench.webp (from memory)', `${small}/media/animals/dog/~bench.webp`)

  const large = await startMenagerie({ CONTENT_DIR: createContent(LARGE_COUNT) })
  const path = '/api/v1/animals/cat'
  const contenders: Contender[] = [
    { name: `${SMALL_COUNT} pictures`, url: small + path },
    { name: `${LARGE_COUNT} pictures`, url: large + path },
  ]
  if (existsSync(join(import.meta.dirname, 'node_modules', 'express'))) {
    for (const count of [SMALL_COUNT, ...TYPICAL_COUNTS]) {
      const dir = count === SMALL_COUNT ? smallDir : createContent(count)
      const folders = [join(dir, 'animals'), join(temporaryFolder(), 'log')]
      const express = await startServer('bench/peers/express.ts', folders)
      contenders.push({ name: `Express 4, usual plugins, ${count} pictures`, url: express + path })
    }
  } else console.log('Express is not installed: run npm install --prefix bench')
  printTable(`GET ${path}`, compare(contenders, LOAD))
})
