import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createAddressMatcher, toClientAddress } from '../../features/access/index.ts'

/** Hardly a program sends more requests in one go without waiting for a reply. */
export const MAX_PIPELINED = 32
/** This many, and it is a flood. */
export const FLOOD_SIZE = 200

interface Pipelining extends Socket {
  line?: { turn: number; length: number }
}

/**
 * Counts the requests that come on a connection in one turn of the event loop while a reply of it is not out. All of them
 * are answered in this turn, while other connections wait, and what the caller does not read stays in memory.
 */
export function createLines() {
  let turn = 0
  let isTurning = false
  const nextTurn = () => {
    turn++
    isTurning = false
  }

  /** The place of a request that came behind another. One beyond MAX_CONCURRENT is beyond it for good. */
  return (socket: Pipelining): number => {
    if (!isTurning) setImmediate(nextTurn)
    isTurning = true
    const before = socket.line
    if (before && (before.turn === turn || before.length >= MAX_PIPELINED)) return ++before.length
    socket.line = { turn, length: 1 }
    return 1
  }
}

export interface ConnectionLimit {
  /** Open at once; 0 sets no bound. */
  readonly perAddress: number
  /** Proxies: many callers come over the connections of one address. */
  readonly exempt: readonly string[]
}

/**
 * Stops one address (IPv6: its /64) from taking all the sockets there are with connections that it leaves idle. One that
 * is too many is closed without a reply, which costs least.
 */
export function limitConnections(server: Server, { perAddress, exempt }: ConnectionLimit): void {
  if (perAddress === 0) return
  const isExempt = createAddressMatcher(exempt)
  const open = new Map<string, number>()

  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    if (exempt.length > 0 && isExempt(address)) return
    const caller = toClientAddress(address)
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
