// From the command to the first reply, against a bare node:http server that starts the same way.
import { bench, startBareCopyOf, startMenagerie, stopServer } from './harness.ts'

const ROUNDS = 7
const PATH = '/api/v1/version'

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function timed(start: () => Promise<string>): Promise<number> {
  const begun = performance.now()
  const url = await start()
  await (await fetch(url + PATH)).text()
  const took = performance.now() - begun
  stopServer(url)
  return took
}

await bench(async () => {
  const original = (await startMenagerie()) + PATH
  const bare: number[] = []
  const ours: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await timed(() => startBareCopyOf(original)))
    ours.push(await timed(() => startMenagerie()))
  }
  console.log('\nCold start to the first reply\n\n| server | ms | times bare |\n|---|---:|---:|')
  console.log(`| bare node:http | ${Math.round(median(bare))} | 1.0 |`)
  console.log(`| Menagerie | ${Math.round(median(ours))} | ${(median(ours) / median(bare)).toFixed(1)} |`)
})
