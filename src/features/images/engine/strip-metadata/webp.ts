import { defuseExif } from './exif.ts'
import { viewOf } from './view.ts'

const FIRST_CHUNK = 12
const HEAD_BYTES = 8
const typeOf = (name: string) => Buffer.from(name).readUInt32BE()
const EXIF = typeOf('EXIF')
const FRAME = typeOf('ANMF')
/** A type that no decoder knows. */
const IGNORED = typeOf('    ')

/** Frames that are too many are hidden but for one, which tells of them: a decoder takes time by their square. */
export function defuseWebp(bytes: Uint8Array, maxFrames: number): void {
  const view = viewOf(bytes)
  let frames = 0
  for (let at = FIRST_CHUNK; at + HEAD_BYTES <= bytes.length; ) {
    const type = view.getUint32(at)
    const size = view.getUint32(at + 4, true)
    if (type === EXIF) defuseExif(bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + size))
    if (type === FRAME && ++frames > maxFrames + 1) view.setUint32(at, IGNORED)
    at += HEAD_BYTES + size + (size % 2)
  }
}
