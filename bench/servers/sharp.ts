// A minimal filter server: node:http fetches a picture, and sharp decodes and encodes it. It has no checks and no limits.
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'

const fetchBytes = (url: string) =>
  new Promise<Buffer>((resolve, reject) => {
    get(url, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts)))
    }).on('error', reject)
  })

const server = createServer(async (request, response) => {
  const image = new URL(request.url ?? '', 'http://x').searchParams.get('image') ?? ''
  const { data, info } = await sharp(await fetchBytes(image))
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const body = await sharp(data, { raw: { width, height, channels } }).jpeg({ quality: 85 }).toBuffer()
  response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': body.length }).end(body)
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
