// Sends as many requests for images as a hundred networks can, without end:
// `node bench/servers/hostile-clients.ts <service> <source> <image> <query>`
import { Agent, get } from 'node:http'

const [service = '', source = '', image = '', query = ''] = process.argv.slice(2)
const NETWORKS = 100
const REQUESTS_PER_NETWORK = 4
const RETRY_MS = 500

const agent = new Agent({ keepAlive: true })
let number = 0

const request = (client: string) =>
  new Promise<number>((resolve) => {
    const url = `${service}/api/v2/filter/invert?${query}&image=${encodeURIComponent(`${source}/${image}/${number++}`)}`
    get(url, { agent, headers: { 'x-forwarded-for': client } }, (reply) => {
      reply.resume().on('close', () => resolve(reply.statusCode ?? 0))
    }).on('error', () => resolve(0))
  })

for (let network = 0; network < NETWORKS; network++)
  for (let nth = 0; nth < REQUESTS_PER_NETWORK; nth++)
    void (async () => {
      for (;;) {
        const status = await request(`20.0.${network}.${nth}`)
        if (status === 503 || status === 0) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    })()
