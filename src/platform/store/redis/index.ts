import type { Log } from '../../logging/index.ts'
import { rememberHealth } from '../health.ts'
import type { Clock, Store } from '../store.ts'
import { bansOn } from './bans.ts'
import { clientsOn } from './clients.ts'
import type { RedisAddress } from './connect.ts'
import { downloadsOn } from './downloads.ts'
import { leasesOn } from './leases.ts'
import { linkRedis } from './link.ts'
import { evaluate, PREFIX } from './part.ts'
import { examineKeys, stateKeys } from './state-keys.ts'
import { strikesOn } from './strikes.ts'
import { tokensOn } from './tokens.ts'

/** Readers learn of it: every revision rises, and bans are told whole the next time. */
const CLEAR = `
  for i = 1, 3 do redis.call('INCR', KEYS[i]) end
  redis.call('SET', KEYS[4], redis.call('GET', KEYS[3]))
  for i = 5, #KEYS do redis.call('UNLINK', KEYS[i]) end`

const revisionKeys = ['clients:revision', 'tokens:revision', 'bans:revision', 'bans:forgotten']

export function openRedis(address: RedisAddress, { log, clock }: { log: Log; clock: Clock }): Store {
  const link = linkRedis(address, { prefix: PREFIX, log })
  const linked = { link, clock, log }
  return {
    driver: 'redis',
    leases: leasesOn(link),
    downloads: downloadsOn(linked),
    clients: clientsOn(linked),
    tokens: tokensOn(linked),
    bans: bansOn(linked),
    strikes: strikesOn(linked),
    health: rememberHealth('redis', log, () => examineKeys(link)),
    clear: async () => void (await link.run((client) => evaluate(client, CLEAR, [...revisionKeys, ...stateKeys], []))),
    close: link.close,
  }
}
