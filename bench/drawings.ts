// Drawings: random JSON with a drawing compared with a static JSON reply; the first byte of a random drawing compared with
// that of a picture in memory; and the time to draw an SVG.
import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { artistKinds, draw } from '../packages/artist/src/index.ts'
import { bench, compare, median, printTable, startBareCopyOf, startMenagerie, temporaryFolder } from './harness.ts'

const SAMPLES = 300
const MAX_FIRST_BYTE_RATIO = 2
const MAX_DRAW_MS = 2

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Milliseconds to the first byte. */
function measureFirstByte(url: string): Promise<number> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      const ms = performance.now() - startedAt
      response.resume().on('end', () => (response.statusCode === 200 ? resolve(ms) : reject(new Error(url))))
    }).on('error', reject)
  })
}

async function pickDrawing(url: string): Promise<string> {
  const { message } = (await (await fetch(`${url}/api/v2/random/animal/dog`)).json()) as { message: string }
  return message
}

async function compareFirstByte(url: string): Promise<void> {
  const times = { picture: [] as number[], drawing: [] as number[] }
  for (let i = 0; i < SAMPLES; i++) {
    times.picture.push(await measureFirstByte(`${url}/media/animals/cat/cat.webp`))
    times.drawing.push(await measureFirstByte(await pickDrawing(url)))
  }
  const [picture, drawing] = [median(times.picture), median(times.drawing)]
  console.log(`\nFirst byte of a random drawing, against a picture in memory (goal: ${MAX_FIRST_BYTE_RATIO})\n`)
  console.log(
    `picture ${picture.toFixed(2)} ms, drawing ${drawing.toFixed(2)} ms, ratio ${(drawing / picture).toFixed(2)}`,
  )
}

function measureDrawing(): void {
  console.log(`\nTime to draw an SVG (goal: ${MAX_DRAW_MS} ms)\n\n| kind | ms |\n|---|---:|`)
  for (const kind of artistKinds) {
    const times = Array.from({ length: 2 * SAMPLES }, (_, seed) => {
      const startedAt = performance.now()
      draw(kind, String(seed))
      return performance.now() - startedAt
    })
    // The first half is the warm-up.
    console.log(`| ${kind} | ${median(times.slice(SAMPLES)).toFixed(2)} |`)
  }
}

await bench(async () => {
  const content = temporaryFolder()
  const url = await startMenagerie({ CONTENT_DIR: content })
  // A picture of the same size.
  const bytes = await (await fetch(await pickDrawing(url))).bytes()
  mkdirSync(join(content, 'animals', 'cat'), { recursive: true })
  writeFileSync(join(content, 'animals', 'cat', 'cat.webp'), bytes)
  while ((await fetch(`${url}/media/animals/cat/cat.webp`)).status !== 200) await fetch(`${url}/healthz`)

  const random = `${url}/api/v2/random/animal/dog`
  const contenders = [
    { name: 'static JSON, bare node:http', url: await startBareCopyOf(random) },
    { name: 'random drawing', url: random },
  ]
  printTable('GET /api/v2/random/animal/dog', compare(contenders))
  await compareFirstByte(url)
  measureDrawing()
  agent.destroy()
})
