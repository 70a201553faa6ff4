import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildDownloadRoutes } from '../../../src/http/api/product/download.ts'
import { listen } from '../../../src/http/kernel/connections.ts'
import { createHttpServer } from '../../../src/http/kernel/http-server.ts'
import { text } from '../../../src/http/kernel/replies.ts'
import { get, put } from '../../../src/http/kernel/route.ts'
import { createTestLog } from '../../kit/log.ts'
import { passTurns } from '../../kit/turns.ts'

test('a request whose reply takes too long gets BUSY and its work ends, unless it is of an operator or sends a file', async (t) => {
  const spec = { tag: '', summary: '' }
  const aborted = Promise.withResolvers<void>()
  const handle = async () => {
    await sleep(300)
    return text('done', 'text/plain')
  }
  const routes = [
    get('/hangs', {
      ...spec,
      async handle({ signal }) {
        await once(signal, 'abort')
        aborted.resolve()
        throw signal.reason
      },
    }),
    get('/operator', { ...spec, operatorScope: 'read', handle }),
    put('/file', { ...spec, receivesFile: true, handle }),
  ]
  const log = createTestLog() as never
  const server = createHttpServer({
    routes,
    log,
    observe: () => {},
    publicUrl: '',
    trustProxy: [],
    replyTimeoutMs: 100,
  })
  t.after(() => void server.close())
  const url = await listen(server, '127.0.0.1', 0)
  const reply = await fetch(`${url}/hangs`)
  assert.deepEqual([reply.status, ((await reply.json()) as { code: string }).code], [503, 'BUSY'])
  assert.equal(reply.headers.get('retry-after'), '10')
  await aborted.promise
  assert.equal(await (await fetch(`${url}/operator`)).text(), 'done')
  assert.equal(await (await fetch(`${url}/file`, { method: 'PUT', body: 'x' })).text(), 'done')
})

test('a download that gets no reply because its file is verified for too long, or whose client disconnects, is not counted', async (t) => {
  let counted = 0
  const download = { kind: 'file', version: '1.0.0', name: 'a.exe', bytes: 1, isCounted: true, sha256: 'x' }
  for (const disconnects of [false, true]) {
    const verified = Promise.withResolvers<() => AsyncIterable<Buffer>>()
    const releases = {
      isStaged: () => false,
      revision: () => 1,
      resolveDownload: () => ({ ...download, modifiedAt: '2026-01-01', path: '/x' }),
      openFile: () => verified.promise,
    }
    const counter = { count: async () => void counted++ }
    const observed = Promise.withResolvers<void>()
    const server = createHttpServer({
      routes: buildDownloadRoutes(releases as never, counter as never),
      log: createTestLog() as never,
      observe: () => {},
      publicUrl: '',
      trustProxy: [],
      replyTimeoutMs: disconnects ? 60_000 : 100,
    })
    server.on('request', (_, response) => response.once('close', observed.resolve))
    t.after(() => void server.close())
    const url = `${await listen(server, '127.0.0.1', 0)}/download/launcher`
    if (disconnects) await assert.rejects(fetch(url, { signal: AbortSignal.timeout(100) }))
    else await (await fetch(url)).text()
    await observed.promise
    verified.resolve(async function* () {
      yield Buffer.from('x')
    })
    await passTurns()
    assert.equal(counted, 0)
  }
})
