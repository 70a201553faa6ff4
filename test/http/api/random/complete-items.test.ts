import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildRandomRoutes } from '../../../../src/http/api/random/routes.ts'
import { listen } from '../../../../src/http/kernel/connections.ts'
import { createHttpServer } from '../../../../src/http/kernel/http-server.ts'
import { plainArtist } from '../../../kit/artist.ts'
import { openTestContent } from '../../../kit/content.ts'
import { startTestService } from '../../../kit/service.ts'
import { keepThreadBusy } from '../../../kit/turns.ts'
import { until } from '../../../kit/until.ts'

const KINDS = ['cat', 'dog', 'fox', 'fish', 'alpaca', 'bird']

interface RandomReply {
  readonly message: string
  readonly item: { readonly type: string; readonly size: number; readonly alt: string; readonly color: string }
}

function assertComplete({ item }: Pick<RandomReply, 'item'>, kind: string) {
  assert.ok(item.size > 1000, `${kind}: size ${item.size}`)
  assert.match(item.alt, /^An? \w+.* \w+/, kind)
  assert.match(item.color, /^#[0-9a-f]{6}$/, kind)
}

test('hundreds of random replies right after the start are complete, and their links are served at once', async (t) => {
  const { url } = await startTestService(t)
  const sizes = new Map<string, number>()
  for (let round = 0; round < 3; round++) {
    const kinds = Array.from({ length: 100 }, (_, i) => KINDS[i % KINDS.length]!)
    const replies = await Promise.all(kinds.map((kind) => fetch(`${url}/api/v2/random/animal/${kind}`)))
    for (const [i, reply] of replies.entries()) {
      const body = (await reply.json()) as RandomReply
      assertComplete(body, kinds[i]!)
      sizes.set(body.message, body.item.size)
    }
  }
  // On a busy machine, some are SVG, which is compressed for clients that accept it.
  const head = { method: 'HEAD', headers: { 'accept-encoding': 'identity' } }
  for (const [message, size] of sizes) {
    assert.equal((await fetch(message, head)).headers.get('content-length'), String(size), message)
  }
})

test('sizes are true for seeds, other types and many items', async (t) => {
  const { url, fetchJson } = await startTestService(t)
  const paths = ['?seed=x', '?seed=y&type=png', '?type=png', '?type=svg', '?seed=z&type=svg']
  for (const path of paths) {
    const { body } = await fetchJson<RandomReply>(`/api/v2/random/animal/cat${path}`)
    assertComplete(body, path)
    assert.equal((await (await fetch(body.message)).bytes()).length, body.item.size, path)
  }
  const many = await fetchJson<{ message: string[]; items: RandomReply['item'][] }>(
    '/api/v2/random/animal/dog?count=10',
  )
  assert.equal(new Set(many.body.message).size, 10)
  for (const item of many.body.items) assertComplete({ item }, 'dog')
  assert.ok(many.body.message.every((message) => message.startsWith(url)))
})

test('other requests are answered between the drawings of one request', async (t) => {
  let described = 0
  const describe: typeof plainArtist.describe = (...drawing) => {
    described++
    keepThreadBusy(5)
    return plainArtist.describe(...drawing)
  }
  const { content } = await openTestContent(t, {}, { artist: { ...plainArtist, describe } })
  const routes = buildRandomRoutes(content)
  const server = createHttpServer({ routes, log: {} as never, observe: () => {}, publicUrl: '', trustProxy: [] })
  t.after(() => server.close())
  const url = await listen(server, '127.0.0.1', 0)
  const list = fetch(`${url}/api/v2/random/animal/cat?type=svg&seed=a&count=50`)
  await until(() => described > 0)
  await (await fetch(`${url}/api/v2/random/8ball`)).text()
  assert.ok(described < 50)
  await (await list).text()
  assert.equal(described, 50)
})

test('no more items are rendered for a client that disconnected', async (t) => {
  const client = new AbortController()
  let rendered = 0
  let isClosed = false
  const render = async () => {
    if (++rendered === 3) {
      client.abort()
      await until(() => isClosed)
    }
    return Buffer.alloc(1)
  }
  const { content } = await openTestContent(t, {}, { artist: { ...plainArtist, render } })
  const routes = buildRandomRoutes(content)
  const server = createHttpServer({ routes, log: {} as never, observe: () => {}, publicUrl: '', trustProxy: [] })
  server.on('request', (_, response) => {
    response.once('close', () => {
      isClosed = true
    })
  })
  t.after(() => server.close())
  const url = `${await listen(server, '127.0.0.1', 0)}/api/v2/random/animal/cat?type=png`
  await assert.rejects(fetch(`${url}&seed=a&count=50`, { signal: client.signal }), { name: 'AbortError' })
  await until(() => isClosed)
  assert.equal((await fetch(`${url}&seed=b`)).status, 200)
  assert.equal(rendered, 4)
})
