// Runs in a network namespace in which every address is local: two nodes on one Redis, at the addresses that the shipped
// configurations of nginx and Caddy name.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ATTACK } from '../../kit/bans.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { startLoad } from '../../kit/load.ts'
import { startCaddy, startNginx } from '../../kit/proxies.ts'
import { startRedis } from '../../kit/redis.ts'
import { record, releasesYaml, writeFiles } from '../../kit/releases.ts'
import { forSuite, type Scope } from '../../kit/scope.ts'
import { readChildren, spawnService } from '../../kit/service-process.ts'
import { until } from '../../kit/until.ts'

const NODES = ['10.0.0.11', '10.0.0.12']
const SERVER = '192.0.2.1'
const CDN = '198.51.100.7'
const PUBLIC_URL = 'https://menagerie.example.org'
const VERSION = '/api/v1/version'
const UNREACHABLE_IMAGE = '/api/v1/filter/blur?image=http://10.0.0.13:9/a.png'
const UPDATES = '/api/v5/app/launcher/updates'
const DOWNLOAD = '/api/v5/app/download/launcher'
/** More than the buffers of all sockets between service and client. */
const DOWNLOAD_BYTES = 32 * 1024 * 1024
/** A line of /proc/net/tcp: a connection to port 4010 that its client closed less than a minute ago. */
const CLOSED_TO_NODE = /^ *\d+: \S+ \S+:0FAA 06 /

async function startCluster(scope: Scope) {
  const redis = await startRedis(scope)
  const content = await temporaryFolder(scope)
  const file = Buffer.alloc(DOWNLOAD_BYTES)
  const sha256 = createHash('sha256').update(file).digest('hex')
  const launcher = [record('1.0.0', { file: 'a.exe', bytes: DOWNLOAD_BYTES, sha256 })]
  await writeFiles(join(content, 'app'), { 'releases.yaml': releasesYaml({ launcher }) })
  await mkdir(join(content, 'app/files'))
  await writeFile(join(content, 'app/files/a.exe'), file)
  const startNode = async (host: string) => {
    const node = await spawnService(scope, {
      HOST: host,
      PORT: '4010',
      STORE_URL: redis.url,
      CONTENT_DIR: content,
      BAN_EXEMPT: '',
      FILTER_ALLOW_HOSTS: '10.0.0.13:9',
      PUBLIC_URL,
      // A proxy in this namespace connects from the address to which it connects.
      TRUST_PROXY: `${NODES.join(' ')} ${CDN}`,
      STOP_GRACE_SECONDS: '5',
      LOG_LEVEL: 'warn',
    })
    await until(async () => (await fetch(`http://${host}:4010/readyz`).catch(() => undefined))?.ok === true)
    return node
  }
  const nodes = await Promise.all(NODES.map(startNode))
  return {
    /** Ends the first node with the signal, and starts it again. */
    async restart(signal: NodeJS.Signals) {
      nodes[0]!.child.kill(signal)
      await nodes[0]!.exited
      nodes[0] = await startNode(NODES[0]!)
    },
  }
}

const proxies = {
  nginx: (scope: Scope) => startNginx(scope, `http://${SERVER}`),
  Caddy: (scope: Scope) => startCaddy(scope, `http://${SERVER}:8080`, { SITE: 'http://:8080', TRUSTED_PROXIES: CDN }),
}

interface Sending {
  readonly from?: string
  readonly headers?: Record<string, string>
  readonly agent?: Agent
}

/** Sends a GET request from an address of the namespace. */
async function send(url: string, path: string, { from: localAddress = '192.0.2.2', ...options }: Sending = {}) {
  const sent = request(url + path, { localAddress, ...options }).end()
  const [response] = await once(sent, 'response')
  return { status: response.statusCode as number, headers: response.headers, body: await text(response) }
}

/** Ports that proxies cannot use for another connection to the nodes. */
const countClosedPorts = async () =>
  (await readFile('/proc/net/tcp', 'utf8')).split('\n').filter((line) => CLOSED_TO_NODE.test(line)).length

/** The files that a process and its children have open, and that no other program sees. */
async function listHiddenFiles(pid: number): Promise<string[]> {
  const pids = [pid, ...(await readChildren(pid))]
  const folders = pids.map((id) => `/proc/${id}/fd`)
  const links = folders.flatMap((folder) => readdirSync(folder).map((fd) => readlinkSync(join(folder, fd))))
  return links.filter((link) => link.endsWith(' (deleted)'))
}

/** Changes a setting of the network of this namespace until the test ends. */
async function changeSetting(t: Scope, name: string, value: string): Promise<void> {
  const file = join('/proc/sys/net/ipv4', name)
  const before = await readFile(file, 'utf8')
  await writeFile(file, value)
  t.after(() => writeFile(file, before))
}

let clients = 0
const nextClient = () => `203.0.${113 + (++clients >> 8)}.${clients & 255}`

describe('two nodes with the shipped configuration of', () => {
  const cluster = forSuite(startCluster)
  for (const [name, start] of Object.entries(proxies)) {
    describe(name, () => {
      const proxy = forSuite(start)
      const ask = (path: string, sending?: Sending) => send(proxy().url, path, sending)

      test('an attacker is banned alone, whatever address it names', async () => {
        for (const header of ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'CF-Connecting-IP', 'True-Client-IP']) {
          const [from, victim] = [nextClient(), nextClient()]
          const headers = { [header]: header === 'Forwarded' ? `for=${victim}` : victim }
          const { status, body } = await ask(ATTACK, { from, headers })
          assert.equal(status, 403, body)
          assert.equal((await ask(VERSION, { from: victim })).status, 200, header)
        }
      })

      test('clients behind a CDN have limits and bans of their own, if proxy and nodes trust the CDN', async () => {
        const [attacker, victim] = [nextClient(), nextClient()]
        const behindCdn = (client: string) => ({ from: CDN, headers: { 'X-Forwarded-For': client } })
        assert.equal((await ask(ATTACK, behindCdn(attacker))).status, 403)
        // On the other node, too.
        for (let i = 0; i < 2; i++) await until(async () => (await ask(VERSION, behindCdn(attacker))).status === 403)
        assert.equal((await ask(VERSION, behindCdn(victim))).status, 200)
      })

      test('URLs of a reply name the service, whatever host the client names', async () => {
        const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'http' }
        const { status, body } = await ask(UPDATES, { headers })
        assert.equal(status, 200, body)
        assert.ok(body.includes(`${PUBLIC_URL}/api`) && !body.includes('evil'), body)
      })

      test('metrics are hidden', async () => {
        assert.equal((await ask('/metrics', { headers: { 'X-Forwarded-For': '127.0.0.1' } })).status, 404)
      })

      test('no node counts as down because images of a client cannot be fetched', async () => {
        for (let i = 0; i < 4; i++) assert.equal((await ask(UNREACHABLE_IMAGE)).status, 502)
        for (let i = 0; i < 2; i++) assert.equal((await ask(VERSION)).status, 200)
      })

      /** Sends a request on each of some connections at a time, and disconnects after the reply. */
      const sendRaw = async (count: number, rounds: number, ...parts: (string | Buffer)[]) => {
        const { hostname: host, port } = new URL(proxy().url)
        const attack = async () => {
          const socket = connect({ host, port: Number(port || 80) }).on('error', () => {})
          for (const part of parts) socket.write(part)
          await Promise.race([once(socket, 'data'), once(socket, 'close'), sleep(200)]).catch(() => {})
          socket.destroy()
        }
        for (let round = 0; round < rounds; round++) {
          await Promise.all(Array.from({ length: count }, attack))
          assert.equal((await ask(VERSION, { from: nextClient() })).status, 200)
        }
      }

      test('an invalid request with a body does not make a node count as down', async () => {
        const head = 'FOO / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n'
        await sendRaw(4, 20, head, Buffer.alloc(2_000_000))
      })

      test('a client that expects "100 Continue" and sends an invalid body does not end the proxy', async () => {
        const head = 'POST /healthz HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n'
        await sendRaw(1, 300, `${head}ZZ\r\n`)
      })

      test('a client with hundreds of connections does not use up the ports of the proxy', async (t) => {
        const before = await countClosedPorts()
        const agent = new Agent({ keepAlive: true })
        t.after(() => agent.destroy())
        for (let round = 0; round < 5; round++) {
          await Promise.all(Array.from({ length: 300 }, () => ask(VERSION, { agent })))
        }
        assert.ok((await countClosedPorts()) - before < 300)
      })

      test('a client that disconnects early does not use up the ports of the proxy, with the setting of docs/scaling.md', async (t) => {
        await changeSetting(t, 'ip_local_port_range', '50000 50199')
        await changeSetting(t, 'tcp_tw_reuse', '1')
        const { hostname: host, port } = new URL(proxy().url)
        // Of other ports: the system does not give a port that a program has chosen to another one.
        let localPort = 20_000
        const disconnect = async () => {
          const from = { localAddress: nextClient(), localPort: localPort++ }
          const socket = connect({ host, port: Number(port || 80), ...from }).on('error', () => {})
          socket.end(`GET ${VERSION} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
          await once(socket.resume(), 'close')
        }
        // Ten times as many as the proxy has ports for a node, and at most 300 within a second, when ports are free again.
        for (let i = 0; i < 100; i++) await Promise.all([sleep(66), ...Array.from({ length: 20 }, disconnect)])
        for (let i = 0; i < 20; i++) assert.equal((await ask(VERSION)).status, 200)
      })

      test('a client that does not read its reply takes no disk space of the proxy', async (t) => {
        const sent = request(proxy().url + DOWNLOAD).end()
        t.after(() => void sent.destroy())
        const [response] = await once(sent, 'response')
        assert.equal(response.statusCode, 200)
        await sleep(1000)
        assert.deepEqual(await listHiddenFiles(proxy().pid), [])
      })

      const ends = {
        'no request fails while a node is replaced': 'SIGTERM',
        'no request fails while a node is killed and starts again': 'SIGKILL',
      } as const
      for (const [title, signal] of Object.entries(ends)) {
        test(title, async (t) => {
          const load = startLoad(t, proxy().url + VERSION)
          await cluster().restart(signal)
          await load.stop()
          assert.deepEqual(load.failed, [])
        })
      }
    })
  }
})
