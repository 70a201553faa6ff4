// Serves images that take long to filter, and usual ones. Each path `/<name>/<number>` has bytes of its own.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { attacks } from '../../test/features/images/attacks/webp.ts'
import { createPhotograph } from '../../test/kit/frames.ts'

const [address = '127.0.0.1'] = process.argv.slice(2)

const photograph = (width: number, height: number) => {
  const { data } = createPhotograph(width, height)
  return sharp(data, { raw: { width, height, channels: 3 } })
}

const HUFFMAN_SIDE = 1000
const images: Record<string, Buffer> = {
  small: await photograph(320, 240).jpeg().toBuffer(),
  photo: await photograph(1920, 1080).jpeg({ quality: 85 }).toBuffer(),
  png: await photograph(1400, 1000).png().toBuffer(),
  huffman: Buffer.from(await attacks[0]!.build(HUFFMAN_SIDE)),
}

const server = createServer((request, response) => {
  const [, name = '', number = ''] = request.url!.split('/')
  const image = images[name]!
  // Bytes after the end change the digest of an image, not its pixels.
  const body = Buffer.concat([image, Buffer.from(number)])
  response.writeHead(200, { 'content-type': 'image/*', 'content-length': body.length, 'cache-control': 'no-store' })
  response.end(body)
})
server.listen(0, address, () => console.log(`http://${address}:${(server.address() as AddressInfo).port}`))
