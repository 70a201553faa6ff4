// The cost of limits, bans, metrics and access log together: the complete service, also with 100,000 bans, compared with
// the same services, routes and kernel without them.
import { openStore } from '../src/platform/store/index.ts'
import { bench, compare, printTable, startMenagerie, startServer, temporaryFolder } from './harness.ts'

const PATHS = ['/api/v1/version', '/api/v1/animals/cat']
const BANS = 100_000
const DAY_MS = 86_400_000

/** An IPv4 address or an IPv6 /64; every 1000th is a larger network. */
function buildAddress(i: number): string {
  if (i % 1000 === 0) return `2001:db8:ff${(i / 1000).toString(16).padStart(2, '0')}::/48`
  const [high, low] = [i >> 16, i & 0xffff]
  return i % 2 === 0 ? `10.${high}.${low >> 8}.${low & 255}` : `2001:db8:${high}:${low.toString(16)}::/64`
}

/** Creates a data folder with bans of other addresses. */
async function createFolderWithBans(): Promise<string> {
  const dataDir = temporaryFolder()
  const log = { info() {}, warn() {}, error() {} }
  const store = await openStore('', { dataDir, log })
  const at = Date.now()
  const bans = Array.from({ length: BANS }, (_, i) => ({
    address: buildAddress(i),
    reason: 'bench',
    by: 'bench',
    at,
    until: at + DAY_MS,
  }))
  for (let from = 0; from < BANS; from += 1000) await store.bans.put(bans.slice(from, from + 1000))
  await store.close()
  return dataDir
}

await bench(async () => {
  const without = await startServer('bench/servers/without-checks.ts', [], { DATA_DIR: temporaryFolder() })
  const everything = await startMenagerie()
  const banned = await startMenagerie({ DATA_DIR: await createFolderWithBans() })
  for (const path of PATHS) {
    const measured = compare([
      { name: 'without limits, bans, metrics and access log', url: without + path },
      { name: 'complete service', url: everything + path },
      { name: `complete service with ${BANS} bans`, url: banned + path },
    ])
    printTable(`GET ${path}`, measured)
  }
  console.log('\nGoal: a ratio of at least 0.85.')
})
