// Sends requests to each URL in turn at a fixed interval, and prints the reply times. A process of its own, so that the
// load generator does not delay it: `node bench/probe.ts <seconds> <url>...`
import { openConnection } from './connection.ts'

const INTERVAL_MS = 3
const WARM_UP_REQUESTS = 200

const [seconds, ...urls] = process.argv.slice(2)
const probes = await Promise.all(
  urls.map(async (url) => {
    const connection = await openConnection(url)
    return { send: () => connection.get(new URL(url).pathname), times: [] as number[] }
  }),
)
for (let nth = 0; nth < WARM_UP_REQUESTS; nth++) for (const { send } of probes) await send()
const end = performance.now() + Number(seconds) * 1000
while (performance.now() < end) {
  for (const { send, times } of probes) {
    times.push((await send()).ms)
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS))
  }
}
console.log(JSON.stringify(probes.map(({ times }) => times)))
process.exit()
