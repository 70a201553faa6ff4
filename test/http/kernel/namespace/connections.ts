// Runs in a network namespace, where it may add addresses.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { listen } from '../../../../src/http/kernel/connections.ts'
import { limitConnections } from '../../../../src/http/kernel/limits.ts'
import { createOrigin, readPeerAddress } from '../../../../src/http/kernel/request-context.ts'
import { ATTACK } from '../../../kit/bans.ts'
import { startTestService } from '../../../kit/service.ts'
import { until } from '../../../kit/until.ts'

const SERVER = '2001:db8:ffff::1'

const addAddress = (address: string) =>
  execFileSync('ip', ['-6', 'address', 'add', `${address}/128`, 'dev', 'lo', 'nodad'], { stdio: 'pipe' })

test('all networks of an IPv6 site together can keep a limited number of connections open', async (t) => {
  addAddress(SERVER)
  const server = createServer()
  limitConnections(server, { perAddress: 2, total: 100, exempt: [], isPending: () => false })
  const url = await listen(server, SERVER, 0)
  const opened: { readonly socket: Socket; isClosed: boolean }[] = []
  t.after(() => {
    for (const { socket } of opened) socket.destroy()
    server.close()
  })
  const open = (localAddress: string, count: number) => {
    addAddress(localAddress)
    const ended = Array.from({ length: count }, () => {
      const socket = connect({ host: SERVER, port: Number(new URL(url).port), localAddress })
      const entry = { socket, isClosed: false }
      socket.on('error', () => {}).on('close', () => Object.assign(entry, { isClosed: true }))
      opened.push(entry)
      return entry
    })
    return () => ended.filter(({ isClosed }) => isClosed).length
  }
  const closedOfFirst = open('2001:db8:1:1::1', 3)
  await until(() => closedOfFirst() === 1)
  // Two of each /64, four of a /56, and eight of the /48.
  const closedOfHome = [2, 3].map((network) => open(`2001:db8:1:${network}::1`, 2))
  await until(() => closedOfHome.reduce((sum, count) => sum + count(), 0) === 2)
  const closedOfOthers = [2, 3, 4].map((network) => open(`2001:db8:1:${network}00::1`, 2))
  await until(() => closedOfOthers.reduce((sum, count) => sum + count(), 0) === 2)
  const closedOfOtherSite = open('2001:db8:2:1::1', 3)
  await until(() => closedOfOtherSite() === 1)
  opened.find(({ isClosed }) => !isClosed)?.socket.destroy()
  await until(async () => (await promisify(server.getConnections).call(server)) === 9)
  const closedOfLast = open('2001:db8:1:7::1', 2)
  await until(() => closedOfLast() === 1)
  assert.equal(closedOfOtherSite(), 1)
})

/** Opens connections one after the other, the last of which exceeds the total. Resolves to the addresses of closed ones. */
async function exceedTotal(t: TestContext, addresses: readonly string[], isPending: (address?: string) => boolean) {
  const server = createServer()
  const total = addresses.length - 1
  limitConnections(server, {
    perAddress: 0,
    total,
    exempt: [],
    isPending: ({ remoteAddress }) => isPending(remoteAddress),
  })
  const port = Number(new URL(await listen(server, '127.0.0.1', 0)).port)
  const opened: Socket[] = []
  t.after(() => {
    for (const socket of opened) socket.destroy()
    server.close()
  })
  for (const localAddress of addresses) {
    const socket = connect({ host: '127.0.0.1', port, localAddress }).on('error', () => {})
    opened.push(socket.resume())
    await once(server, 'connection')
  }
  await until(() => opened.some(({ closed }) => closed))
  return addresses.filter((_, i) => opened[i]!.closed)
}

test('if all addresses together have too many connections, one that is idle longest is closed', async (t) => {
  const [many, one, last] = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
  assert.deepEqual(await exceedTotal(t, [many, many, one, last], () => false), [many])
})

test('a connection that waits for a reply is closed only if all do', async (t) => {
  const [many, one, last] = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
  const addresses = [many, many, one, last]
  assert.deepEqual(await exceedTotal(t, addresses, (address) => address === many), [one])
  assert.deepEqual(await exceedTotal(t, addresses, () => true), [many])
})

test('a new connection of a client that has no other is kept while a client has ten that wait for replies', async (t) => {
  const [many, one, last] = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
  const isMany = (address?: string) => address === many
  const addresses = [...Array.from({ length: 10 }, () => many), one, last]
  assert.deepEqual(await exceedTotal(t, addresses, isMany), [many])
  // With nine, it is closed instead of one that waits for a reply.
  assert.deepEqual(await exceedTotal(t, addresses.slice(1), isMany), [one])
})

test('a proxy with a link-local address that TRUST_PROXY does not name is recognised, so it is not banned', async (t) => {
  addAddress('fe80::5')
  const origin = createOrigin({ publicUrl: '', trustProxy: [] })
  const server = createServer((request, response) =>
    response.end(String(origin.isUntrustedProxy(request, readPeerAddress(request)))),
  )
  t.after(() => server.close())
  const { port } = new URL(await listen(server, '::', 0))
  const sent = get({ host: 'fe80::5%lo', port, headers: { 'x-forwarded-for': '198.51.100.7' } })
  const [reply] = (await once(sent, 'response')) as [IncomingMessage]
  assert.equal(await text(reply), 'true')
})

test('clients that arrive from the gateway or an own address, as with Docker or Podman without root, are not banned', async (t) => {
  // Networks may be connected after the start.
  const { url } = await startTestService(t, { BAN_EXEMPT: '', HOST: '::' })
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' })
  ip('link', 'add', 'outside', 'type', 'veth', 'peer', 'name', 'inside')
  for (const end of ['outside', 'inside']) ip('link', 'set', end, 'up')
  // No gateway can be an address of this machine, as all are in this namespace.
  ip('route', 'delete', 'local', 'default', 'dev', 'lo')
  ip('route', 'add', 'default', 'via', '172.31.254.1', 'dev', 'inside', 'onlink')
  ip('route', 'add', 'local', 'default', 'dev', 'lo')
  ip('-6', 'route', 'delete', 'local', 'default', 'dev', 'lo')
  ip('-6', 'route', 'add', 'default', 'via', 'fd00:254::1', 'dev', 'inside', 'onlink')
  ip('-6', 'route', 'add', 'local', 'default', 'dev', 'lo')
  for (const own of ['172.31.254.3/32', '100.64.0.3/32']) ip('address', 'add', own, 'dev', 'inside')
  ip('-6', 'address', 'add', 'fd00:254::3/128', 'dev', 'inside', 'nodad')
  for (const other of ['fd00:254::1', 'fd00:254::2']) addAddress(other)
  const { port } = new URL(url)
  const readCode = async (path: string, localAddress: string) => {
    const host = localAddress.includes(':') ? '::1' : '127.0.0.1'
    const [response] = (await once(get({ host, port, path, localAddress }), 'response')) as [IncomingMessage]
    return JSON.parse(await text(response)).code
  }
  for (const client of ['172.31.254.2', 'fd00:254::2']) assert.equal(await readCode(ATTACK, client), 'BANNED')
  for (const shared of ['172.31.254.1', '172.31.254.3', '100.64.0.3', 'fd00:254::1', 'fd00:254::3']) {
    assert.equal(await readCode(ATTACK, shared), 'TOKEN_REQUIRED', shared)
    assert.equal(await readCode('/api/v1/version', shared), 200, shared)
  }
})
