// The hot path of every JSON reply with everything enabled: security headers, CORS, request id, access log. Compared with
// bare node:http that sends the same reply, and with Fastify and its usual plugins.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bench, compare, printTable, startBareCopyOf, startMenagerie, startServer, temporaryFolder } from './harness.ts'

const PATH = '/api/v1/version'

await bench(async () => {
  const ours = await startMenagerie()
  const bare = await startBareCopyOf(ours + PATH)
  const peers = existsSync(join(import.meta.dirname, 'node_modules', 'fastify'))
    ? [
        {
          name: 'Fastify, usual plugins',
          url: (await startServer('bench/peers/fastify.ts', [join(temporaryFolder(), 'log')])) + PATH,
        },
      ]
    : []
  if (peers.length === 0) console.log('Fastify is not installed: run npm install --prefix bench')
  const measured = compare([
    { name: 'bare node:http, same headers and body', url: bare + PATH },
    { name: 'Menagerie', url: ours + PATH },
    ...peers,
  ])
  printTable(`GET ${PATH}`, measured)
})
