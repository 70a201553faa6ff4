export type Size = { width: number; height: number }

/** Reads and changes files of one image format, without decoding pixels. */
export interface ImageFormat {
  /** Detects the format by the first bytes of a file, given as Latin-1 text. */
  readonly hasSignature: (head: string) => boolean
  /**
   * Keeps only the parts that the pixels need, and each of them once. A few kilobytes of text, EXIF or colour profile can
   * keep a decoder busy for minutes, and millions of empty parts take gigabytes. Changes the bytes in place and returns
   * the part to decode. Takes linear time, whatever lengths the file claims. Leaves broken files to the decoder, and
   * throws `UnsafeImage` for files that must not reach it.
   */
  readonly stripMetadata: (bytes: Buffer, maxFrames: number) => Buffer
  /** Only for formats that can be lossy or lossless. */
  readonly isLossless?: (bytes: Buffer) => boolean
  /** Whether the file contains only the image: no comments, no application data, nothing after its end. May throw. */
  readonly containsOnlyImage?: (bytes: Buffer) => boolean
  /** Reads the displayed size of a file whose structure is complete; undefined if a part is missing or damaged. */
  readonly readSizeIfComplete?: (bytes: Buffer) => Size | undefined
  /** Whether no part is missing at the end of the file. Decoders accept animations that are cut off between frames. */
  readonly isComplete?: (bytes: Buffer) => boolean
}

/** An image that would cost a decoder too much. The message continues the sentence "The image cannot be read: it …". */
export class UnsafeImage extends Error {}

/** Collects the parts of a file to keep. They move to the front of the same memory. */
export function createCompactor(bytes: Buffer) {
  let end = 0
  return {
    /** Parts must be kept in their order. Returns the part in its new place. */
    keep(from: number, to: number): Buffer {
      if (end !== from) bytes.copyWithin(end, from, to)
      const start = end
      end += Math.max(0, Math.min(to, bytes.length) - from)
      return bytes.subarray(start, end)
    },
    finish: () => bytes.subarray(0, end),
  }
}

/** Returns a function that says whether it is called with a value for the first time. */
export function createFirstTimeCheck<T>() {
  const seen = new Set<T>()
  return (value: T) => seen.size < seen.add(value).size
}

/** A part of a file and the offset of the next one. */
type Part = { readonly isImage: boolean; readonly next: number }

/** Whether `start` to `end` consists only of parts of the image. `readPart` returns undefined for a broken part. */
export function consistsOf(start: number, end: number, readPart: (at: number) => Part | undefined): boolean {
  let at = start
  while (at < end) {
    const part = readPart(at)
    if (!part?.isImage || part.next <= at) return false
    at = part.next
  }
  return at === end
}

/** For formats with either byte order. */
export const viewOf = (bytes: Buffer) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length)

/** A four-character type as the number that is read from a file. */
export const typeCode = (name: string) => Buffer.from(name).readUInt32BE()

export const readName = (bytes: Buffer, at: number) => bytes.toString('latin1', at, at + 4)
