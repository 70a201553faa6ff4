// Commands act on a server that is hostile, or claims to be another one.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { createCertificate, hasOpenssl } from '../kit/certificate.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { startImpostor, startRemote } from '../kit/remote.ts'
import { forSuite } from '../kit/scope.ts'
import { startSource } from '../kit/source.ts'

describe('commands on a server that is not trusted', () => {
  const open = forSuite((scope) => startRemote(scope))

  test('the token is not sent to the target of a redirect', async (t) => {
    const { laptop } = open()
    const requests: string[] = []
    const thief = await startSource(t, ({ url = '' }, reply) => {
      requests.push(url)
      reply.end('{}')
    })
    const MENAGERIE_SERVER = await startImpostor(t, ['/releases'], ({ url }, reply) => {
      reply.writeHead(307, { Location: thief.url(url) }).end()
    })
    const { code, stderr } = await laptop.runWith({ MENAGERIE_SERVER }, ['release', 'list'])
    assert.deepEqual([code, requests], [1, []])
    assert.ok(stderr.includes(`redirects to http://${thief.host}`), stderr)
  })

  test('the replies of a hostile server neither control the terminal nor fill the memory', async (t) => {
    const { laptop } = open()
    const hostile = '\x1b]0;title\x07\x1b[2J\x1b[8m'
    function* endless() {
      for (;;) yield Buffer.alloc(2 ** 20, ' ')
    }
    const fields = { id: 1, at: hostile, change: hostile, subject: hostile, label: 'a', scopes: [hostile], files: [] }
    const ban = { address: hostile, until: 0 }
    const answer = JSON.stringify({ token: fields, change: fields, file: '', diff: '+a', ban })
    const endpoints = ['/history/{id}', '/history/{id}/undo', '/bans', '/releases']
    const server = await startImpostor(t, endpoints, ({ url }, reply) => {
      if (url?.endsWith('/releases')) pipeline(Readable.from(endless()), reply, () => {})
      else reply.end(answer)
    })
    const env = { MENAGERIE_SERVER: server, XDG_CONFIG_HOME: laptop.folder, FORCE_COLOR: '1' }
    for (const words of [
      ['login', server],
      ['history', 'undo', '1'],
      ['ban', 'add', '192.0.2.1'],
    ]) {
      const { stdout } = await laptop.runWith(env, words)
      assert.ok(stdout.includes('\\u{1b}]0;title') && !/\x1b(?:\]|\[8m)/.test(stdout), stdout)
    }
    const { code, stderr } = await laptop.runWith(env, ['release', 'list'])
    assert.deepEqual([code, /its reply has more than \d+ bytes/.test(stderr)], [1, true], stderr)
  })

  test('a hostile server cannot keep a command busy forever, and its replies are not reported as bugs', async (t) => {
    const { laptop } = open()
    let requests = 0
    let body: object = {}
    const names = ['bans', 'releases', 'history', 'tokens', 'clients', 'news', 'downloads', 'usage', 'uploads/{sha256}']
    const endpoints = names.map((name) => `/${name}`)
    const MENAGERIE_SERVER = await startImpostor(t, endpoints, (request, reply) => {
      requests++
      request.resume()
      reply.end(JSON.stringify(body))
    })
    const publish = ['release', 'publish', 'launcher', '7.0.0', laptop.file('setup.exe')]
    const readers = ['ban', 'release', 'history', 'token', 'client', 'news'].map((group) => [group, 'list'])
    const odd = { bans: [{}], releases: [{}], history: [{}], tokens: [{}], clients: [{}], news: [{}], total: 'x' }
    for (const malformed of [{}, [], { bans: 5, total: 5, releases: {}, history: 'x', tokens: null }, odd]) {
      body = malformed
      for (const words of [...readers, ['ban', 'add', '192.0.2.1'], ['downloads'], ['usage']]) {
        const { stderr } = await laptop.runWith({ MENAGERIE_SERVER }, words)
        assert.ok(!stderr.includes('This is a bug'), `${words}: ${stderr}`)
      }
    }
    for (const [endless, words] of [
      [{ bans: [{ address: '192.0.2.1', at: '2026-01-01', until: '2026-01-01' }], total: 1e9 }, ['ban', 'list']],
      [{ bytes: 0, complete: false }, publish],
    ] as const) {
      body = endless
      requests = 0
      const { code, stderr } = await laptop.runWith({ MENAGERIE_SERVER }, [...words])
      assert.deepEqual([code, /too many pages|does not complete the upload/.test(stderr)], [1, true], stderr)
      assert.ok(requests <= 200, String(requests))
    }
  })

  test('an untrusted certificate is refused', { skip: hasOpenssl() ? false : 'no openssl' }, async (t) => {
    const { laptop } = open()
    const server = createHttpsServer(createCertificate(await temporaryFolder(t), 'localhost'), (_, reply) =>
      reply.end('{}'),
    )
    t.after(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `https://localhost:${(server.address() as AddressInfo).port}`
    const { code, stderr } = await laptop.runWith({ MENAGERIE_SERVER: url }, ['release', 'list'])
    assert.deepEqual([code, /certificate is self-signed.*NODE_EXTRA_CA_CERTS/.test(stderr)], [1, true], stderr)
  })
})
