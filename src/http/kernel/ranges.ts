import type { ByteRange } from '../../platform/files/index.ts'

/**
 * The bytes that a Range header asks for. Undefined means the whole: no header, one that is malformed, or several ranges,
 * which RFC 9110 lets a server ignore. 'none' means that nothing of it lies within the file.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  const match = header === undefined ? null : /^bytes=(\d*)-(\d*)$/.exec(header.trim())
  if (!match) return undefined
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'none' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'none' : { start, end }
}
