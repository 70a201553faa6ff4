import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Families, parseExposition } from '../kit/exposition.ts'
import type { Scope } from '../kit/scope.ts'
import { fetchOnce } from '../kit/service-process.ts'

/** All values that must never fall, by series. */
const readCounters = (families: Families) =>
  new Map(
    [...families.values()]
      .filter(({ type }) => type !== 'gauge')
      .flatMap(({ samples }) => samples)
      .map(({ name, labels, value }) => [`${name} ${JSON.stringify(labels)}`, value]),
  )

/** The store may reply late on a busy machine: then the operator's request is refused and must be sent again. */
async function readTraffic(url: string, headers: Record<string, string>): Promise<number> {
  const reply = await fetch(`${url}/api/v5/app/operator/overview`, { headers })
  const body = (await reply.json()) as { code?: string; overview: { traffic: { requests: number } } }
  if (body.code === 'STORE_UNAVAILABLE') return readTraffic(url, headers)
  assert.equal(reply.status, 200, JSON.stringify(body))
  return body.overview.traffic.requests
}

/** Scrapes one worker after the other and records the values that fell since the previous scrape. */
export function watchCounters(t: Scope, url: string, headers: Record<string, string>) {
  const seen = { scrapes: 0, fell: [] as string[], families: new Map() as Families }
  let previous = new Map<string, number>()
  let isRunning = true
  const read = async () => {
    seen.families = parseExposition(await (await fetchOnce(`${url}/metrics`)).text())
    return readCounters(seen.families).set('traffic', await readTraffic(url, headers))
  }
  const scrape = async () => {
    const now = await read()
    for (const [series, value] of previous) {
      const found = now.get(series)
      if (found === undefined || found < value) seen.fell.push(`${series}: ${value}, then ${found}`)
    }
    previous = now
    seen.scrapes++
  }
  const all = (async () => {
    while (isRunning) {
      await scrape()
      // Leaves the processor to the workers that start.
      await sleep(150)
    }
  })()
  const stop = async () => {
    isRunning = false
    await all
  }
  // A hook that rejects would skip the hooks after it.
  t.after(() => stop().catch(() => {}))
  return Object.assign(seen, { scrape, stop })
}
