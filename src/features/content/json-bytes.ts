/**
 * JSON as a byte string: each character stands for one byte of its UTF-8. Made once when a list is read, so that a reply
 * which is put together of such strings need be neither measured nor encoded.
 */
export function jsonBytes(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('latin1')
}
