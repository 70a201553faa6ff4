import { crc32 } from 'node:zlib'
import { defuseExif } from './exif.ts'
import { viewOf } from './view.ts'

const FIRST_CHUNK = 8
/** Length and type, before the data of a chunk. */
const HEAD_BYTES = 8
/** With the checksum behind it. */
const FRAME_BYTES = 12

const typeOf = (name: string) => Buffer.from(name).readUInt32BE()
const EXIF = typeOf('eXIf')
/** Of the chunks that a decoder may ignore, those that decide colours or orientation. */
const kept = new Set([EXIF, ...['tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'mDCV', 'cLLI', 'sBIT'].map(typeOf)])
/** In the type of a chunk: may be ignored. */
const ANCILLARY = 0x20_00_00_00
const isNeeded = (type: number) => (type & ANCILLARY) === 0 || kept.has(type)

/** Leaves out texts, which a decoder inflates, and the like; where there is nothing to leave out, nothing is moved. */
export function defusePng(bytes: Uint8Array): Uint8Array {
  const view = viewOf(bytes)
  let end = FIRST_CHUNK
  let keptFrom = FIRST_CHUNK
  const keepUpTo = (to: number) => {
    if (end !== keptFrom) bytes.copyWithin(end, keptFrom, to)
    end += to - keptFrom
  }
  for (let at = FIRST_CHUNK, next = at; at + FRAME_BYTES <= bytes.length; at = next) {
    const type = view.getUint32(at + 4)
    next = at + FRAME_BYTES + view.getUint32(at)
    if (type === EXIF && next <= bytes.length) {
      defuseExif(bytes.subarray(at + HEAD_BYTES, next - 4))
      view.setUint32(next - 4, crc32(bytes.subarray(at + 4, next - 4)))
    }
    if (isNeeded(type)) continue
    keepUpTo(at)
    keptFrom = Math.min(next, bytes.length)
  }
  keepUpTo(bytes.length)
  return bytes.subarray(0, end)
}
