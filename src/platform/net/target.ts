import { addAbortListener } from 'node:events'
import { isIP } from 'node:net'
import { ImageAddressForbidden, ImageHostBlocked } from '../../errors/index.ts'
import { isNowhere, isSpecialName, judgeAddress } from './classify-address.ts'
import { type Resolve, resolveAsMachine } from './resolve.ts'
import { hostOf, portOf } from './source-url.ts'

export interface TargetRules {
  /** `host:port` of sources that may be private and use any port. */
  allowHosts: readonly string[]
  /** Asked on every hop with the host in its settled spelling; it knows about parent domains. */
  isBlockedHost: (host: string) => boolean
  /** First and last port of each range that may be dialled. */
  ports: readonly (readonly [first: number, last: number])[]
  /** Every address of a name. */
  resolve: Resolve
}

/** Judges where a hop leads. */
export function createTargets({ allowHosts, isBlockedHost, ports, resolve }: TargetRules) {
  const allowed = new Set(allowHosts.map(readAllowHost))
  const isAllowed = (url: URL) => allowed.has(`${hostOf(url)}:${portOf(url)}`)

  function refuseBlocked(host: string): void {
    if (isBlockedHost(host)) throw new ImageHostBlocked(host)
  }

  /** Refuses what can be refused without asking DNS. */
  function vet(url: URL): void {
    const host = hostOf(url)
    refuseBlocked(host)
    if (isAllowed(url)) return
    if (!ports.some(([first, last]) => portOf(url) >= first && portOf(url) <= last)) {
      throw new ImageAddressForbidden(`uses port ${portOf(url)}, which is none of ${inWords(ports)}`)
    }
    if (isIP(host) ? judgeAddress(host) !== 'public' : isSpecialName(host)) throw new ImageAddressForbidden()
  }

  /** What it returns may be dialled, as it is and now. */
  async function judgedAddresses(url: URL, signal: AbortSignal): Promise<string[]> {
    vet(url)
    const host = hostOf(url)
    if (isIP(host)) return [host]
    if (isAllowed(url)) return addressesOf(host, resolveAsMachine, signal)
    if (isNowhere(host)) return []
    const addresses = await addressesOf(host, resolve, signal)
    // One private answer among public ones is enough: that is what rebinding and split-horizon names look like.
    if (addresses.some((address) => judgeAddress(address) !== 'public')) throw new ImageAddressForbidden()
    return addresses
  }

  return { vet, refuseBlocked, judgedAddresses }
}

function readAllowHost(entry: string): string {
  const url = /:\d{1,5}$/.test(entry) ? URL.parse(`http://${entry}`) : null
  if (!url) throw new TypeError(`an allowed host must be host:port, not "${entry}"`)
  return `${hostOf(url)}:${portOf(url)}`
}

const inWords = (ports: TargetRules['ports']) =>
  ports.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(', ')

/** A resolver that does not hear the signal is left behind. */
async function addressesOf(host: string, resolve: Resolve, signal: AbortSignal): Promise<string[]> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  using _listening = addAbortListener(signal, () => reject(signal.reason))
  return await Promise.race([resolve(host, signal).catch(() => []), aborted])
}
