// What limits, bans, metrics and log lines cost together: the service with all of them, and with 100,000 bans besides, against
// the same services, tables and kernel without any.

import { openStore } from '../src/platform/store/index.ts'
import { bench, compare, printTable, startMenagerie, startServer, temporaryFolder } from './harness.ts'

const PATHS = ['/api/v1/version', '/api/v1/animals/cat']
const BANS = 100_000
const DAY_MS = 86_400_000

/** A data folder with so many addresses banned; none of them is ours. */
async function folderWithBans(): Promise<string> {
  const dataDir = temporaryFolder()
  const log = { info() {}, warn() {}, error() {} }
  const store = openStore('', { dataDir, log })
  const at = Date.now()
  const bans = Array.from({ length: BANS }, (_, i) => ({
    address: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`,
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
  const without = await startServer('bench/servers/unguarded.ts', [], { DATA_DIR: temporaryFolder() })
  const everything = await startMenagerie()
  const banned = await startMenagerie({ DATA_DIR: await folderWithBans() })
  for (const path of PATHS) {
    const measured = compare([
      { name: 'without limits, bans, metrics and log', url: without + path },
      { name: 'with all of them', url: everything + path },
      { name: `with all of them and ${BANS} bans`, url: banned + path },
    ])
    printTable(`GET ${path}`, measured)
  }
  console.log('\nGoal: at least 0.85.')
})
