import { lookup, Resolver } from 'node:dns/promises'
import { addAbortListener } from 'node:events'

/** Every address of a name; empty where it has none. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<string[]>

/**
 * Asks DNS without the thread pool: `dns.lookup` blocks one of its few threads for as long as a stranger's name server
 * likes, cannot be cancelled, and also answers from the hosts file of this machine.
 */
export const createResolver =
  (servers?: readonly string[]): Resolve =>
  async (name, signal) => {
    const resolver = new Resolver({ timeout: 1500, tries: 2 })
    if (servers) resolver.setServers(servers)
    using _listening = addAbortListener(signal, () => resolver.cancel())
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }

/** For hosts that the operator named: as the machine sees them, hosts file and search domains included. */
export const resolveAsMachine: Resolve = async (name) => {
  const found = await lookup(name, { all: true }).catch(() => [])
  return found.map(({ address }) => address)
}
