import { isIP } from 'node:net'
import { styleText } from 'node:util'
import type { Bans } from '../../features/access/index.ts'
import { CommandError, defineCommand, UsageError } from '../command.ts'
import { expiryOf } from '../expiry.ts'
import { silent, withStore } from '../open.ts'
import { moment, table } from '../text.ts'

const settings = ['STORE_URL', 'DATA_DIR', 'BAN_EXEMPT', 'TRUST_PROXY'] as const

type Settings = Parameters<typeof withStore>[0] & Record<'BAN_EXEMPT' | 'TRUST_PROXY', readonly string[]>

const withBans = <T>(config: Settings, work: (bans: Bans) => Promise<T>) =>
  withStore(config, async (store) => {
    const { Bans } = await import('../../features/access/index.ts')
    const { BAN_EXEMPT: exempt, TRUST_PROXY: proxies } = config
    const bans = new Bans(store.bans, store.strikes, { exempt, proxies, log: silent })
    try {
      return await work(bans)
    } finally {
      bans.close()
    }
  })

/** The /64 of an address is banned by any address in it. */
function addressOf(text: string): string {
  const address = text.replace(/\/64$/, '')
  if (isIP(address) === 0 || (address !== text && isIP(address) !== 6)) {
    throw new UsageError(`"${text}" is no IP address, nor the /64 of an IPv6 one.`)
  }
  return address
}

export const banAdd = defineCommand({
  name: 'ban add',
  summary: 'Shuts an address out (IPv6: its /64); every node knows within a second.',
  settings,
  arguments: [{ name: 'address', help: 'An IP address.' }],
  options: {
    for: { type: 'string', value: 'time', help: 'How long: 12h, 30d, 4w, or until a date; 24h where nothing is said.' },
    reason: { type: 'string', value: 'text', help: 'Why, for the list.' },
  },
  examples: ['ban add 192.0.2.7 --for 7d --reason "scrapes the filters"'],
  run: ({ config, args, options: { for: time = '24h', reason = 'by hand' } }) =>
    withBans(config, async (bans) => {
      const now = Date.now()
      const ms = expiryOf(time, now, '--for') - now
      const ban = await bans.add(addressOf(args.address), { reason, by: 'operator', ms })
      if (!ban) throw new CommandError(`${args.address} is in BAN_EXEMPT or TRUST_PROXY and is never banned.`)
      return { text: styleText('green', `Banned ${ban.address} until ${moment(ban.until)}.`), value: { ban } }
    }),
})

export const banList = defineCommand({
  name: 'ban list',
  summary: 'Lists who is banned, why and until when.',
  settings,
  examples: ['ban list'],
  run: ({ config }) =>
    withBans(config, async (bans) => {
      const list = await bans.list()
      const rows = list.map(({ address, until, by, reason }) => [address, moment(until), by, reason])
      const text = rows.length > 0 ? table(['address', 'until', 'by', 'reason'], rows) : 'Nobody is banned.'
      return { text, value: { bans: list } }
    }),
})

export const banLift = defineCommand({
  name: 'ban lift',
  summary: 'Lets an address in again, and forgets what it did.',
  settings,
  arguments: [{ name: 'address', help: 'As "ban list" shows it, or any address of that /64.', completes: 'bans' }],
  examples: ['ban lift 192.0.2.7'],
  run: ({ config, args }) =>
    withBans(config, async (bans) => {
      const { toClientAddress } = await import('../../features/access/index.ts')
      const address = toClientAddress(addressOf(args.address))
      if (!(await bans.lift(address))) throw new CommandError(`${address} is not banned.`)
      return { text: styleText('green', `Lifted the ban of ${address}.`), value: { address } }
    }),
})
