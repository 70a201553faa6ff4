import { UsageError } from '../../errors/index.ts'
import { defineCommand } from '../command.ts'
import { parseExpiry } from '../parse.ts'
import { formatTime, paint } from '../text.ts'

const HOUR_MS = 3_600_000
const settings = ['STORE_URL', 'DATA_DIR', 'BAN_EXEMPT', 'TRUST_PROXY'] as const

async function parseAddress(text: string): Promise<string> {
  const { parseNetwork } = await import('../../platform/net/index.ts')
  const address = parseNetwork(text)
  if (!address)
    throw new UsageError(`"${text}" is neither an IP address nor a network of /8 to /32 (IPv6: /16 to /64).`)
  return address
}

export const banAdd = defineCommand({
  name: 'ban add',
  summary:
    'Bans an address or a network. An IPv6 address is banned with its /64 network. All nodes apply the ban within a second.',
  settings,
  arguments: [{ name: 'address', help: 'An IP address, or a network such as 192.0.2.0/24.' }],
  options: {
    for: {
      value: 'duration|date',
      help: 'Duration such as 12h, 30d or 4w, or an end date: from 1h to 365d. Default: 24h.',
    },
    reason: { value: 'text', help: 'Reason, shown by "ban list". Default: manual.' },
  },
  examples: ['ban add 192.0.2.7 --for 7d --reason "scrapes the filters"', 'ban add 2001:db8::/48'],
  run: async ({ service, args, options: { for: time = '24h', reason = 'manual' } }) => {
    const now = Date.now()
    const ms = parseExpiry(time, now, '--for') - now
    const { minimum, maximum } = (await import('../../features/access/index.ts')).BAN_HOURS
    if (ms < minimum * HOUR_MS || ms > maximum * HOUR_MS)
      throw new UsageError(`--for must be from ${minimum}h to ${maximum / 24}d, not "${time}".`)
    const ban = await service.addBan(await parseAddress(args.address), { reason, ms })
    return { text: paint('green', `Banned ${ban.address} until ${formatTime(ban.until)}.`), value: { ban } }
  },
})

export const banList = defineCommand({
  name: 'ban list',
  summary: 'Lists all bans, with their reasons and end times.',
  settings,
  examples: ['ban list'],
  run: async ({ service, format }) => {
    const bans = await service.listBans()
    const rows = bans.map(({ address, at, until, by, reason }) => ({
      address,
      banned: format.time(at),
      ends: format.time(until),
      by,
      reason,
    }))
    return { text: format.table(rows, 'There are no bans.'), value: { bans } }
  },
})

export const banLift = defineCommand({
  name: 'ban lift',
  summary: 'Lifts a ban. Also resets the counts of wrong operator tokens and of earlier bans of the address.',
  settings,
  arguments: [
    {
      name: 'address',
      help: 'A banned address or network, or any address of a banned /64 network.',
      completes: 'bans',
    },
  ],
  examples: ['ban lift 192.0.2.7'],
  run: async ({ service, args }) => {
    const address = await parseAddress(args.address)
    await service.liftBan(address)
    return { text: paint('green', `Lifted the ban on ${address}.`), value: { address } }
  },
})
