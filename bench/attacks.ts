// Images of forty networks, while a hundred others request as many as they can of images that take long. No rate limit.
// `npm run bench -- attacks [part of a name]`
import { fork } from 'node:child_process'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bench, benchScope, startMenagerie, startServer, stopServer } from './harness.ts'

const SECONDS = 40
const NETWORKS = 40
/** Between two images of a network: less than its share of the time of image processes. */
const INTERVALS_MS = { small: 2000, photo: 8000 }
const HEALTH_INTERVAL_MS = 100
const TIMEOUT_MS = 20_000

const attacks = [
  { name: 'PNG to WebP', image: 'png', query: 'output=webp' },
  { name: 'photos', image: 'photo', query: '' },
  { name: 'WebP within 20 kB', image: 'photo', query: 'output=webp&maxBytes=20000' },
  { name: 'AVIF', image: 'photo', query: 'output=avif' },
  { name: 'many Huffman tables', image: 'huffman', query: '' },
]

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN

/** Returns the seconds until the reply; infinity if it is not 200. */
function measure(url: string, client: string): Promise<number> {
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const fail = () => resolve(Number.POSITIVE_INFINITY)
    get(url, { agent: false, timeout: TIMEOUT_MS, headers: { 'x-forwarded-for': client } }, (reply) => {
      reply
        .resume()
        .on('end', () => (reply.statusCode === 200 ? resolve((performance.now() - startedAt) / 1000) : fail()))
    })
      .on('timeout', fail)
      .on('error', fail)
  })
}

const wanted = process.argv[2] === 'attacks' ? process.argv[3] : process.argv[2]

await bench(async () => {
  const hostile = await startServer('bench/servers/hostile-sources.ts')
  const usual = await startServer('bench/servers/hostile-sources.ts', ['127.0.0.2'])
  console.log(`Replies in seconds: median, p95, longest\n`)
  console.log('| attack | small images | photos | /healthz |\n|---|---:|---:|---:|')
  for (const { name, image, query } of attacks.filter(({ name }) => name.includes(wanted ?? ''))) {
    const service = await startMenagerie({
      FILTER_ALLOW_HOSTS: [hostile, usual].map((url) => new URL(url).host).join(','),
      TRUST_PROXY: 'loopback',
    })
    const clients = fork(join(import.meta.dirname, 'servers/hostile-clients.ts'), [service, hostile, image, query])
    benchScope.after(() => void clients.kill())
    await sleep(5000)
    const times = { small: [] as number[], photo: [] as number[], healthz: [] as number[] }
    let number = 0
    const send = async (kind: 'small' | 'photo', network: number) => {
      const source = encodeURIComponent(`${usual}/${kind}/${number++}`)
      times[kind].push(await measure(`${service}/api/v1/filter/invert?image=${source}`, `30.0.${network}.1`))
    }
    const end = performance.now() + SECONDS * 1000
    const victims = Array.from({ length: NETWORKS }, async (_, network) => {
      const kind = network % 2 ? 'photo' : 'small'
      await sleep((network / NETWORKS) * INTERVALS_MS[kind])
      while (performance.now() < end) {
        await send(kind, network)
        await sleep(INTERVALS_MS[kind])
      }
    })
    while (performance.now() < end) {
      times.healthz.push(await measure(`${service}/healthz`, '30.1.0.1'))
      await sleep(HEALTH_INTERVAL_MS)
    }
    await Promise.all(victims)
    clients.kill()
    stopServer(service)
    const cells = Object.values(times).map((list) =>
      [0.5, 0.95, 0.9999].map((share) => percentile(list, share).toFixed(2)),
    )
    console.log(`| ${name} | ${cells.map((cell) => cell.join(', ')).join(' | ')} |`)
  }
})
