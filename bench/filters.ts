// Filters: first the engine compared with sharp and Jimp (bench/filters/engine.ts). Then over HTTP: distinct pictures
// compared with a minimal sharp server and with ipx, and cache hits compared with bare node:http.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  bench,
  compare,
  type Measured,
  median,
  printTable,
  startBareCopyOf,
  startMenagerie,
  startServer,
} from './harness.ts'

const ROUNDS = 5
const REQUESTS = 30
const CONCURRENCY = 4
/** After ten seconds without work, image processes end. */
const PAUSE_MS = 11_000

interface Server {
  readonly name: string
  /** Builds the URL that filters the image at another URL. */
  readonly buildUrl: (image: string) => string
}

let number = 0

/** Distinct pictures per second. */
async function measureRate({ buildUrl }: Server, source: string): Promise<number> {
  const start = performance.now()
  let remaining = REQUESTS
  const worker = async () => {
    while (remaining-- > 0) {
      const response = await fetch(buildUrl(`${source}/${number++}.jpg`))
      const { byteLength } = await response.arrayBuffer()
      if (response.status !== 200 || byteLength === 0) throw new Error(`status ${response.status} of ${response.url}`)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return REQUESTS / ((performance.now() - start) / 1000)
}

/** Measures the servers in turns. The first one is the baseline of the ratios. */
async function compareServers(servers: readonly Server[], source: string): Promise<Measured[]> {
  const rates = servers.map(() => [] as number[])
  for (const server of servers) await measureRate(server, source)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, server] of servers.entries()) rates[i]?.push(await measureRate(server, source))
  }
  return servers.map(({ name }, i) => ({
    name,
    perSecond: median(rates[i] ?? []),
    ratio: median(rates[i]?.map((value, round) => value / (rates[0]?.[round] ?? 1)) ?? []),
  }))
}

await import('./filters/engine.ts')

await bench(async () => {
  const source = await startServer('bench/servers/pictures.ts')
  const ours = await startMenagerie({ FILTER_ALLOW_HOSTS: new URL(source).host })
  const minimal = await startServer('bench/servers/sharp.ts')
  const filter = (name: string) => ({
    name: `Menagerie, ${name}`,
    buildUrl: (image: string) => `${ours}/api/v1/filter/${name}?image=${encodeURIComponent(image)}&format=image`,
  })
  const plain = {
    name: 'node:http + sharp, no filter',
    buildUrl: (image: string) => `${minimal}/?image=${encodeURIComponent(image)}`,
  }
  const names = ['invert', 'greyscale', 'contrast', 'dither565', 'normalize', 'blur']
  printTable('1920x1080 over HTTP, distinct pictures', await compareServers([plain, ...names.map(filter)], source))

  if (existsSync(join(import.meta.dirname, 'node_modules', 'ipx'))) {
    const ipx = await startServer('bench/peers/ipx.ts', [new URL(source).hostname])
    const ipxOf = (name: string, modifier: string) => ({
      name: `ipx, ${name}`,
      buildUrl: (image: string) => `${ipx}/${modifier}/${image}`,
    })
    printTable(
      'Compared with ipx: greyscale',
      await compareServers([ipxOf('greyscale', 'grayscale'), filter('greyscale')], source),
    )
    printTable('Compared with ipx: blur', await compareServers([ipxOf('blur', 'blur_5'), filter('blur')], source))
  } else console.log('ipx is not installed: run npm install --prefix bench')

  const pauses: number[] = []
  for (let nth = 0; nth < 3; nth++) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    const startedAt = performance.now()
    await (await fetch(filter('invert').buildUrl(`${source}/pause-${nth}.jpg`))).arrayBuffer()
    pauses.push(performance.now() - startedAt)
  }
  console.log(`\nFirst filter after a pause: ${Math.round(median(pauses))} ms (goal: at most 400)`)

  const hit = filter('blur').buildUrl(`${source}/hit.jpg`)
  await (await fetch(hit)).arrayBuffer()
  const bare = await startBareCopyOf(hit)
  printTable(
    'Cached result',
    compare([
      { name: 'bare node:http, same reply', url: bare },
      { name: 'Menagerie, cache hit', url: hit },
    ]),
  )
})
