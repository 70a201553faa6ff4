// The baseline: node:http and nothing else. Answers every request with the reply that a JSON file describes.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const { status, headers, body } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const bytes = Buffer.from(body, 'base64')
// Node writes headers and a string body in one piece.
const text = bytes.toString('utf8')
const payload = Buffer.byteLength(text) === bytes.length && bytes.length < 65_536 ? text : bytes

const server = createServer((_request, response) => {
  response.writeHead(status, headers)
  response.end(payload)
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
