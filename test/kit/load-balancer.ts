import { once } from 'node:events'
import { Agent, createServer, get, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from './scope.ts'

const POLL_INTERVAL_MS = 100

/** A simple load balancer: polls /readyz, distributes requests round-robin, keeps connections, never retries. */
export async function startBalancer(t: Scope) {
  const nodes = new Map<string, { isReady: boolean; agent: Agent }>()
  const pollReadiness = (url: string) => {
    const request = get(`${url}/readyz`, { agent: false }, (response) => {
      const node = nodes.get(url)
      if (node) node.isReady = response.statusCode === 200
      response.resume()
    })
    request.on('error', () => {
      const node = nodes.get(url)
      if (node) node.isReady = false
    })
  }
  const timer = setInterval(() => [...nodes.keys()].forEach(pollReadiness), POLL_INTERVAL_MS)

  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const ready = [...nodes].filter(([, { isReady }]) => isReady)
    const [url, node] = ready[turn++ % ready.length] ?? []
    if (!url || !node) return void outgoing.writeHead(502).end()
    const { agent } = node
    const passed = request(url + incoming.url, { agent, headers: { host: 'balanced.test' } }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, { 'content-type': reply.headers['content-type'] ?? '' })
      reply.on('error', () => outgoing.destroy())
      reply.pipe(outgoing)
    })
    passed.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()))
    passed.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    clearInterval(timer)
    for (const { agent } of nodes.values()) agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (url: string) => void nodes.set(url, { isReady: false, agent: new Agent({ keepAlive: true }) }),
    remove: (url: string) => void nodes.delete(url),
    ready: () => [...nodes].filter(([, { isReady }]) => isReady).map(([url]) => url),
  }
}
