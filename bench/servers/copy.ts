// The baseline for replies of any size and status: fetches a URL once, and answers everything with that, as bare.ts does.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const reply = await fetch(process.argv[2] ?? '', { redirect: 'manual' })
const bytes = Buffer.from(await reply.arrayBuffer())
const payload = bytes.length < 65_536 ? bytes.toString('utf8') : bytes
// Node adds these by itself.
const own = ['date', 'connection', 'keep-alive']
const headers = [...reply.headers].filter(([name]) => !own.includes(name)).flat()

const server = createServer((_request, response) => {
  response.writeHead(reply.status, headers)
  response.end(payload)
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
