import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { callerOf, createAddressTest } from '../guard/index.ts'

export interface ConnectionBound {
  /** Open at once; 0 sets no bound. */
  readonly perAddress: number
  /** Proxies: many callers come over the connections of one address. */
  readonly exempt: readonly string[]
}

/**
 * Stops one address (IPv6: its /64) from taking all the sockets there are with connections that it leaves idle. One that
 * is too many is closed without a reply, which costs least.
 */
export function boundConnections(server: Server, { perAddress, exempt }: ConnectionBound): void {
  if (perAddress === 0) return
  const isExempt = createAddressTest(exempt)
  const open = new Map<string, number>()

  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    if (exempt.length > 0 && isExempt(address)) return
    const caller = callerOf(address)
    const before = open.get(caller) ?? 0
    if (before >= perAddress) return void socket.destroy()
    open.set(caller, before + 1)
    socket.once('close', () => {
      const left = (open.get(caller) ?? 1) - 1
      if (left === 0) open.delete(caller)
      else open.set(caller, left)
    })
  })
}
