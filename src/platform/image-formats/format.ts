export interface Size {
  width: number
  height: number
}

/** What is known about the bytes of one image format. Nothing here decodes pixels. */
export interface ImageFormat {
  /** Detects the format by the first bytes of a file, given as Latin-1 text. */
  readonly hasSignature: (head: string) => boolean
  /**
   * Removes what a decoder would process but the pixels do not need. A few kilobytes of text or EXIF can keep a decoder
   * busy for minutes, and nothing can interrupt it. Changes the bytes in place and returns the part to decode. Takes one
   * step per part of the file, whatever lengths the file claims. Broken files are left to the decoder.
   */
  readonly stripMetadata: (bytes: Buffer, maxFrames: number) => Buffer
  /** Whether the file contains only the image: no comments, no application data, nothing after its end. May throw. */
  readonly containsOnlyImage?: (bytes: Buffer) => boolean
  /** Reads the displayed size of a file whose structure is complete; undefined if a part is missing or damaged. */
  readonly readSizeIfComplete?: (bytes: Buffer) => Size | undefined
  /** Whether the structure of the file leads to its end. Decoders accept animations that are cut between frames. */
  readonly isComplete?: (bytes: Buffer) => boolean
}

/** A part of a file and the offset of the next one. */
interface Part {
  readonly isImage: boolean
  readonly next: number
}

/** Whether parts that belong to the image lead exactly to `end`. `readPart` returns undefined for a broken part. */
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
