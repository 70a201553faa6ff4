import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { forSuite, type Scope } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'

async function startWithClient(scope: Scope) {
  const service = await startTestService(scope, { MCP: 'on' })
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`)))
  scope.after(() => client.close())
  return { ...service, client }
}

const ARGUMENTS: Record<string, object> = {
  random_animal: { kind: 'fox' },
  random_kaomoji: {},
  random_answer: { kind: '8ball' },
  random_video: {},
  filter_image: { image: 'https://example.org/a%20b.png?x=1&y=2', steps: 'greyscale,blur:5' },
  draw_animal: { kind: 'cat', name: "Zoë O'Brien/..", background: 'none' },
}

describe('the Model Context Protocol with the official client', () => {
  const started = forSuite(startWithClient)
  const call = async (name: string, args: object) => {
    const { content, isError } = await started().client.callTool({ name, arguments: { ...args } })
    const [part] = content
    return { isError, text: part?.type === 'text' ? part.text : '' }
  }

  it('lists tools that all work and change nothing', async () => {
    const { client } = started()
    assert.deepEqual(client.getServerCapabilities()?.tools, { listChanged: false })
    const { tools } = await client.listTools()
    assert.deepEqual(tools.map(({ name }) => name).sort(), Object.keys(ARGUMENTS).sort())
    assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint))
    for (const { name } of tools) assert.ok(!(await call(name, ARGUMENTS[name]!)).isError, name)
  })

  it('is named in llms.txt', async () => {
    const { fetchPath, url } = started()
    assert.ok((await (await fetchPath('/llms.txt')).text()).includes(`(${url}/mcp)`))
  })

  it('returns URLs that the service serves', async () => {
    const { url, fetchPath } = started()
    const drawn = JSON.parse((await call('draw_animal', ARGUMENTS.draw_animal!)).text)
    assert.match(drawn.alt, /cat/)
    assert.equal((await fetchPath(drawn.url.slice(url.length))).headers.get('content-type'), 'image/png')
    const { message } = JSON.parse((await call('random_animal', { kind: 'fox' })).text)
    const filtered = (await call('filter_image', { image: message, steps: 'invert' })).text
    const reply = await fetchPath(filtered.slice(url.length))
    assert.match(reply.headers.get('content-type') ?? '', /^image\//)
  })

  it('says what is wrong with an argument', async () => {
    for (const [name, args, problem] of [
      ['random_animal', { kind: 'unicorn' }, /kind/],
      ['random_animal', { other: 1 }, /additional/],
      ['filter_image', { image: 'https://example.org/a.png', steps: 'sharpen' }, /there is no filter "sharpen"/],
      ['draw_animal', { kind: 'fox', name: ' ' }, /no visible character/],
    ] as const) {
      const { isError, text } = await call(name, args)
      assert.ok(isError, name)
      assert.match(text, problem)
    }
  })

  it('has every guide as a resource', async () => {
    const { client, url } = started()
    const { resources } = await client.listResources()
    assert.ok(resources.length >= 9)
    for (const { uri, title } of resources) {
      assert.ok(uri.startsWith(`${url}/docs/guides/`))
      const [guide] = (await client.readResource({ uri })).contents
      assert.ok(guide && 'text' in guide && guide.text.startsWith(`# ${title}\n`))
    }
  })

  it('has no subscriptions, which would stay open', async () => {
    const version = '2026-07-28'
    const meta = { protocolVersion: version, clientInfo: { name: 'test', version: '1' }, clientCapabilities: {} }
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: Object.fromEntries(
          Object.entries(meta).map(([name, value]) => [`io.modelcontextprotocol/${name}`, value]),
        ),
      },
    }
    const reply = await fetch(`${started().url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': version,
        'mcp-method': message.method,
      },
      body: JSON.stringify(message),
    })
    assert.match(await reply.text(), /Subscription limit/)
  })

  it('refuses what is not a message with the error of the service or of the protocol', async () => {
    const { fetchJson } = started()
    const send = (body: string, type = 'application/json') =>
      fetchJson('/mcp', { method: 'POST', body, headers: { 'content-type': type, accept: '*/*' } })
    assert.equal((await send('{')).body.code, 'INVALID_BODY')
    assert.equal((await send('[]')).body.code, 'INVALID_BODY')
    assert.equal((await send('{}', 'text/plain')).body.code, 'INVALID_BODY')
    assert.equal((await send(JSON.stringify({ x: 'a'.repeat(20_000) }))).body.code, 'BODY_TOO_LARGE')
    assert.equal((await fetchJson('/mcp')).body.code, 'METHOD_NOT_ALLOWED')
  })
})

test('requests to /mcp leave nothing in memory', async (t) => {
  const { url } = await startTestService(t, { MCP: 'on' })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const sendMany = async (count: number) => {
    for (let i = 0; i < count; i++) await (await fetch(`${url}/mcp`, { method: 'POST', headers, body })).text()
  }
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const measureHeap = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  await sendMany(50)
  const before = measureHeap()
  await sendMany(100)
  // Schemas that are compiled for each request take 100 KB per request.
  assert.ok((measureHeap() - before) / 100 < 20_000)
})

test('without the setting MCP there is no such path', async (t) => {
  const { fetchJson } = await startTestService(t)
  assert.equal((await fetchJson('/mcp', { method: 'POST' })).body.code, 'UNKNOWN_PATH')
})
