// Every random endpoint, everything on, against bare node:http writing the same headers and a body of the same length;
// small and large collections; pictures from memory; and the usual way of building such a service.
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
import { tinyPng } from './pictures.ts'

const SMALL = 10
const LARGE = 100_000
/** Collections as people have them; what reads the folder at each request pays for its size. */
const USUAL = [100, 1000]
const LOAD = { rounds: 5, seconds: 2 }

/** A content folder with so many cats. */
function makeContent(count: number): string {
  const dir = temporaryFolder()
  const cats = join(dir, 'animals', 'cat')
  mkdirSync(cats, { recursive: true })
  for (let i = 0; i < count; i++) writeFileSync(join(cats, `cat-${String(i).padStart(6, '0')}.png`), tinyPng(i))
  return dir
}

async function against(name: string, url: string): Promise<void> {
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
  const smallDir = makeContent(SMALL)
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
    await against(`GET ${path}`, small + path)
  }
  await against('GET /media/animals/dog/~bench.webp (from memory)', `${small}/media/animals/dog/~bench.webp`)

  const large = await startMenagerie({ CONTENT_DIR: makeContent(LARGE) })
  const path = '/api/v1/animals/cat'
  const contenders: Contender[] = [
    { name: `${SMALL} pictures`, url: small + path },
    { name: `${LARGE} pictures`, url: large + path },
  ]
  if (existsSync(join(import.meta.dirname, 'node_modules', 'express'))) {
    for (const count of [SMALL, ...USUAL]) {
      const dir = count === SMALL ? smallDir : makeContent(count)
      const folders = [join(dir, 'animals'), join(temporaryFolder(), 'log')]
      const express = await startServer('bench/peers/express.ts', folders)
      contenders.push({ name: `Express 4, usual plugins, ${count} pictures`, url: express + path })
    }
  } else console.log('(no Express to compare with: npm install --prefix bench)')
  printTable(`GET ${path}`, compare(contenders, LOAD))
})
