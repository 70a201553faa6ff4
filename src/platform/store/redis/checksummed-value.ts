import { crc32 } from 'node:zlib'

/** Raised when what is inside changes: what an older or newer service wrote is then foreign. */
const MARK = Buffer.from('MNG1')
const HEAD = MARK.length + 4

export const SEAL_BYTES = HEAD

/** A value with a mark and a checksum over its name and bytes, so that rubbish and mix-ups are noticed. */
export function seal(name: string, bytes: Buffer): Buffer {
  const head = Buffer.alloc(HEAD)
  MARK.copy(head)
  head.writeUInt32BE(checksum(name, bytes), MARK.length)
  return Buffer.concat([head, bytes])
}

/** Undefined where the value is not what was sealed under this name. */
export function unseal(name: string, value: Buffer): Buffer | undefined {
  if (value.length < HEAD || !value.subarray(0, MARK.length).equals(MARK)) return undefined
  const bytes = value.subarray(HEAD)
  return value.readUInt32BE(MARK.length) === checksum(name, bytes) ? bytes : undefined
}

const checksum = (name: string, bytes: Buffer) => crc32(bytes, crc32(name))
