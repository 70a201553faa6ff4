// A DNS server for A and AAAA records. Each query can get a different answer.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Scope } from '../../kit/scope.ts'

const types = { 1: 4, 28: 6 } as const
const NO_SUCH_NAME = 3

/** `answers` returns all addresses of a name, of both families, or undefined for an unknown name. */
export async function startDns(t: Scope, answers: (name: string) => string[] | undefined): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => socket.send(buildReply(query, answers), from.port, from.address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => void socket.close())
  return `127.0.0.1:${socket.address().port}`
}

function buildReply(query: Buffer, answers: (name: string) => string[] | undefined): Buffer {
  const { name, end } = readName(query)
  const family = types[query.readUInt16BE(end) as keyof typeof types]
  const found = answers(name)
  const addresses = (found ?? []).filter((address) => isIP(address) === family)
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | (found ? 0 : NO_SUCH_NAME), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  return Buffer.concat([header, query.subarray(12, end + 4), ...addresses.map(buildRecord)])
}

function readName(query: Buffer) {
  const labels: string[] = []
  let end = 12
  for (let length = query[end++]!; length > 0; length = query[end++]!) {
    labels.push(query.toString('latin1', end, end + length))
    end += length
  }
  return { name: labels.join('.').toLowerCase(), end }
}

/** Refers to the name in the question; its TTL is 0. */
function buildRecord(address: string): Buffer {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
  const head = Buffer.from([0xc0, 12, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length])
  return Buffer.concat([head, bytes])
}
