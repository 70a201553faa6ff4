import type { Config } from '../../config/config.ts'
import type { RedisInspection, Store } from '../../platform/store/index.ts'
import { CommandError } from '../command.ts'
import { withStore } from '../open.ts'
import { count } from '../text.ts'
import { advice, type Check, type Finding, ok, type Site, wrong } from './check.ts'

/** A call of the store waits on the way of some requests; on one machine it takes well under a millisecond. */
const SLOW_MS = 20
const CLOCKS_DIFFER_MS = 5000

export const storeCheck: Check = {
  name: 'store',
  async look(site) {
    const { sqliteFile, describeStoreError } = await import('../../platform/store/index.ts')
    const file = sqliteFile(site.config.STORE_URL, site.config.DATA_DIR)
    try {
      return file === undefined ? await lookAtRedis(site) : await lookAtSqlite(file, site)
    } catch (error) {
      const trouble = describeStoreError(error)
      if (trouble === undefined && !(error instanceof CommandError)) throw error
      const text = trouble === undefined ? (error as CommandError).message : `The store cannot be used: ${trouble}.`
      return [wrong(text, wayOut(file))]
    }
  },
}

const wayOut = (file: string | undefined) =>
  file === undefined
    ? 'start Redis, or set the right STORE_URL'
    : 'docs/operating.md, "Restore"; or set another STORE_URL'

async function lookAtSqlite(file: string, site: Site): Promise<Finding[]> {
  const { inspectSqlite } = await import('../../platform/store/index.ts')
  const found = inspectSqlite(file)
  if (!found) return [ok('The store is a file of SQLite that is made at the first start.')]
  const { schema, newest, sqlite, tookMs } = found
  const name = `SQLite ${sqlite}, schema ${schema}`
  if (schema > newest) {
    return [
      wrong(
        `${name} is of a newer version of the service; this one knows ${newest} at most.`,
        'run the newer version, or restore the backup from before it',
      ),
    ]
  }
  // Opening it to ask more would bring it up to date under the feet of a running service.
  if (schema < newest) return [ok(`${name}: the next start brings it to ${newest}, and keeps a copy.`)]
  return [
    ok(`${name}; the quick check of its pages found nothing wrong in ${tookMs.toFixed(1)} ms.`),
    ...(await withStore(site.config, (store) => lookInside(store, site))),
  ]
}

async function lookAtRedis(site: Site): Promise<Finding[]> {
  const { inspectRedis } = await import('../../platform/store/index.ts')
  const { config } = site
  const inside = await withStore(config, (store) => lookInside(store, site))
  const examined = await inspectRedis(config.STORE_URL)
  return [
    ...(examined ? judgeRedis(examined) : [ok('Redis answers, through its sentinels or as a cluster.')]),
    ...inside,
  ]
}

export function judgeRedis({ version, policy, maxBytes, persistent, aheadMs, latencyMs }: RedisInspection): Finding[] {
  const found = [ok(`Redis ${version} answers in ${latencyMs.toFixed(1)} ms.`)]
  if (latencyMs > SLOW_MS) {
    found.push(
      advice(
        `An answer takes ${Math.round(latencyMs)} ms: bans and keys are looked up there.`,
        'use a Redis nearer to this machine',
      ),
    )
  }
  if (maxBytes > 0 && policy !== 'noeviction') {
    found.push(
      wrong(
        `Redis forgets what it holds when its memory is full (${policy}): bans, keys and counts would go.`,
        'redis-cli CONFIG SET maxmemory-policy noeviction, and the same in redis.conf',
      ),
    )
  }
  if (persistent === false) {
    found.push(
      wrong(
        'Redis keeps nothing on a disk: its restart would lose tokens, keys, bans and counts.',
        'redis-cli CONFIG SET appendonly yes, and the same in redis.conf',
      ),
    )
  }
  if (Math.abs(aheadMs) > CLOCKS_DIFFER_MS) {
    found.push(
      advice(
        `The clocks of Redis and of this machine are ${Math.round(Math.abs(aheadMs) / 1000)} seconds apart.`,
        'timedatectl set-ntp true, on both',
      ),
    )
  }
  return found
}

async function lookInside({ tokens, clients }: Store, { config, command }: Site): Promise<Finding[]> {
  const now = Date.now()
  const good = (await tokens.list()).filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
  const known = await clients.list()
  const asked = known.filter(({ state }) => state === 'asked').length
  const waiting = `${count(asked, 'client waits', 'clients wait')} for your word about a key.`
  return [
    good.length > 0
      ? ok(`${count(good.length, 'operator token')} can be used.`)
      : advice(
          'No operator token can be used: the dashboard and the operator’s endpoints are closed to you, too.',
          command('token create dashboard --expires 90d'),
        ),
    ...(asked > 0 ? [advice(waiting, command('clients list --state asked'))] : []),
    ...keysWithout(
      config,
      known.some(({ state }) => state === 'asked' || state === 'granted'),
    ),
  ]
}

function keysWithout({ V5_ACCESS }: Config, someHaveOrAsk: boolean): Finding[] {
  if (V5_ACCESS === 'open' || someHaveOrAsk) return []
  return [
    advice(
      'V5_ACCESS is "registered", and no client has a key yet: nobody can use v5.',
      'ask for a key on /v5-access, then grant it; or set V5_ACCESS=open',
    ),
  ]
}
