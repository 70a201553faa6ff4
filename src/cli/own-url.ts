import { isIPv6 } from 'node:net'

/** Listening everywhere includes the machine's own address. */
const OWN_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Where a service with this HOST and PORT is reached on its own machine. */
export function ownUrl(host: string, port: number): string {
  const near = OWN_ADDRESS[host] ?? host
  return `http://${isIPv6(near) ? `[${near}]` : near}:${port}`
}
