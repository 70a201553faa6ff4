// Filters, from the kernel to HTTP: each against sharp's own decode and encode and against Jimp (bench/filters/engine.ts), then
// over HTTP with distinct pictures against the least server that does the same bytes and against ipx, and hits against bare bytes.
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
const AT_ONCE = 4

interface Server {
  readonly name: string
  /** The request for a picture that nobody asked for before. */
  readonly urlOf: (image: string) => string
}

let number = 0

/** Pictures a second, each another one. */
async function rate({ urlOf }: Server, source: string): Promise<number> {
  const begun = performance.now()
  let left = REQUESTS
  const worker = async () => {
    while (left-- > 0) {
      const response = await fetch(urlOf(`${source}/${number++}.jpg`))
      const { byteLength } = await response.arrayBuffer()
      if (response.status !== 200 || byteLength === 0) throw new Error(`${response.status} of ${response.url}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return REQUESTS / ((performance.now() - begun) / 1000)
}

/** In turns; the first is what the others are compared with. */
async function compareFresh(servers: readonly Server[], source: string): Promise<Measured[]> {
  const rates = servers.map(() => [] as number[])
  for (const server of servers) await rate(server, source)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, server] of servers.entries()) rates[i]?.push(await rate(server, source))
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
  const least = await startServer('bench/servers/sharp.ts')
  const filter = (name: string) => ({
    name: `Menagerie, ${name}`,
    urlOf: (image: string) => `${ours}/api/v1/filter/${name}?image=${encodeURIComponent(image)}&format=image`,
  })
  const plain = {
    name: 'node:http + sharp, no filter',
    urlOf: (image: string) => `${least}/?image=${encodeURIComponent(image)}`,
  }
  const names = ['invert', 'greyscale', 'contrast', 'dither565', 'normalize', 'blur']
  printTable('1920x1080 over HTTP, distinct pictures', await compareFresh([plain, ...names.map(filter)], source))

  if (existsSync(join(import.meta.dirname, 'node_modules', 'ipx'))) {
    const ipx = await startServer('bench/peers/ipx.ts', [new URL(source).hostname])
    const ipxOf = (name: string, modifier: string) => ({
      name: `ipx, ${name}`,
      urlOf: (image: string) => `${ipx}/${modifier}/${image}`,
    })
    printTable(
      'against ipx: greyscale',
      await compareFresh([ipxOf('greyscale', 'grayscale'), filter('greyscale')], source),
    )
    printTable('against ipx: blur', await compareFresh([ipxOf('blur', 'blur_5'), filter('blur')], source))
  } else console.log('(no ipx to compare with: npm install --prefix bench)')

  const hit = filter('blur').urlOf(`${source}/hit.jpg`)
  await (await fetch(hit)).arrayBuffer()
  const bare = await startBareCopyOf(hit)
  printTable(
    'a cached result',
    compare([
      { name: 'bare node:http, same bytes', url: bare },
      { name: 'Menagerie, hit', url: hit },
    ]),
  )
})
