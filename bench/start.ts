// The time from the start command to the first reply, compared with a bare node:http server.
import { bench, median, startBareCopyOf, startMenagerie, stopServer } from './harness.ts'

const ROUNDS = 7
const PATH = '/api/v1/version'

async function measureStart(start: () => Promise<string>): Promise<number> {
  const startedAt = performance.now()
  const url = await start()
  await (await fetch(url + PATH)).text()
  const elapsedMs = performance.now() - startedAt
  stopServer(url)
  return elapsedMs
}

await bench(async () => {
  const original = (await startMenagerie()) + PATH
  const bare: number[] = []
  const ours: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await measureStart(() => startBareCopyOf(original)))
    ours.push(await measureStart(() => startMenagerie()))
  }
  console.log('\nCold start to the first reply\n\n| server | ms | ratio to bare node:http |\n|---|---:|---:|')
  console.log(`| bare node:http | ${Math.round(median(bare))} | 1.0 |`)
  console.log(`| Menagerie | ${Math.round(median(ours))} | ${(median(ours) / median(bare)).toFixed(1)} |`)
})
