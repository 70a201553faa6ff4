// Serves distinct pictures: every path has the same photograph-like JPEG with different bytes at its end.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { createPhotograph } from '../../test/kit/frames.ts'

const [width = 1920, height = 1080] = process.argv.slice(2).map(Number)
const { data } = createPhotograph(width, height)
const picture = await sharp(data, { raw: { width, height, channels: 3 } })
  .jpeg({ quality: 85 })
  .toBuffer()

const server = createServer((request, response) => {
  // Bytes after the end of a JPEG change its digest, not its pixels.
  const body = Buffer.concat([picture, Buffer.from(request.url ?? '')])
  response.writeHead(200, {
    'content-type': 'image/jpeg',
    'content-length': body.length,
    'cache-control': 'max-age=600',
  })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
