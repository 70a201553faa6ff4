// The baseline of large files: node:http with `pipeline`. Answers every request with the file that its argument names.
import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'

const file = process.argv[2] ?? ''
const { size } = statSync(file)

const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': size })
  pipeline(createReadStream(file), response, () => {})
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
