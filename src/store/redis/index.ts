import { rememberHealth } from '../health.ts'
import type { Clock, Log, Store } from '../store.ts'
import { bansOn } from './bans.ts'
import { clientsOn } from './clients.ts'
import type { RedisAddress } from './connect.ts'
import { downloadsOn } from './downloads.ts'
import { leasesOn } from './leases.ts'
import { linkRedis } from './link.ts'
import { evaluate, PREFIX } from './part.ts'
import { strikesOn } from './strikes.ts'
import { tokensOn } from './tokens.ts'

/** Outlives many checks, and leaves nothing behind where the service is gone. */
const PROBE_MS = 60_000

/** Readers learn of it: every revision rises, and bans are told whole the next time. */
const CLEAR = `
  for i = 1, 3 do redis.call('INCR', KEYS[i]) end
  redis.call('SET', KEYS[4], redis.call('GET', KEYS[3]))
  for i = 5, #KEYS do redis.call('UNLINK', KEYS[i]) end`

const revisionKeys = ['clients:revision', 'tokens:revision', 'bans:revision', 'bans:forgotten']
const stateKeys = ['downloads:writers', 'downloads:seen', 'downloads:rows', 'downloads:versions', 'downloads:days']
  .concat('clients', 'clients:open', 'tokens', 'tokens:used')
  .concat('bans', 'bans:revisions', 'bans:ends', 'bans:guard', 'strikes', 'strikes:ends')

export function openRedis(address: RedisAddress, { log, clock }: { log: Log; clock: Clock }): Store {
  const link = linkRedis(address, { prefix: PREFIX, log })
  const linked = { link, clock }
  return {
    driver: 'redis',
    leases: leasesOn(link),
    downloads: downloadsOn(linked),
    clients: clientsOn(linked),
    tokens: tokensOn(linked),
    bans: bansOn(linked),
    strikes: strikesOn(linked),
    health: rememberHealth('redis', log, () =>
      link.run((client) => client.set(`${PREFIX}probe`, '1', { expiration: { type: 'PX', value: PROBE_MS } })),
    ),
    clear: async () => void (await link.run((client) => evaluate(client, CLEAR, [...revisionKeys, ...stateKeys], []))),
    close: link.close,
  }
}
