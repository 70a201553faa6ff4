import { StoreTrouble } from '../unavailable.ts'
import type { RedisLink } from './link.ts'
import { evaluate, PREFIX } from './part.ts'

/** The keys that hold state, and what Redis calls their type. */
const types = {
  hash: [
    ...['downloads:writers', 'downloads:rows', 'downloads:versions', 'downloads:days'],
    ...['clients', 'tokens', 'tokens:used', 'bans', 'strikes'],
  ],
  zset: ['downloads:seen', 'bans:revisions', 'bans:ends', 'bans:guard', 'strikes:ends'],
  set: ['clients:open'],
}

export const stateKeys = Object.values(types).flat()

/** Outlives many checks, and leaves nothing behind where the service is gone. */
const PROBE_MS = 60_000

const PROBE = `
  redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
  for i = 2, #KEYS do
    local found = redis.call('TYPE', KEYS[i]).ok
    if found ~= ARGV[i] and found ~= 'none' then return KEYS[i] end
  end`

const probed = ['probe', ...stateKeys]
const expected = [PROBE_MS, ...Object.entries(types).flatMap(([type, keys]) => keys.map(() => type))]

/**
 * Whether Redis can be written to as the state needs it. By a script, as nearly all that is written: an ACL may allow the
 * rest and not that. Another program may have written under our names, in the same database: then a part of the state fails.
 */
export async function examineKeys(link: RedisLink): Promise<void> {
  const foreign = await link.run((client) => evaluate(client, PROBE, probed, expected))
  if (foreign !== null) {
    const name = String(foreign).slice(PREFIX.length)
    throw new StoreTrouble(`Redis holds something of another program under the name of our ${name}; move that away`)
  }
}
