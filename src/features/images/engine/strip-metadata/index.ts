// Takes out of a picture what its pixels do not need and a decoder would toil at: a few kilobytes of text or EXIF can
// keep a thread busy for minutes, and nothing can interrupt it. The bytes are changed where they are.
import type { SourceFormat } from '../formats.ts'
import { defuseAvif } from './avif.ts'
import { defuseJpeg } from './jpeg.ts'
import { defusePng } from './png.ts'
import { defuseTiff } from './tiff.ts'
import { defuseWebp } from './webp.ts'

/** Takes one step for each part of the file, whatever they say of their lengths; what is broken is left to the decoder. */
export function defuse(bytes: Uint8Array, format: SourceFormat, maxFrames: number): Uint8Array {
  if (format === 'png') return defusePng(bytes)
  if (format === 'jpeg') defuseJpeg(bytes)
  if (format === 'webp') defuseWebp(bytes, maxFrames)
  if (format === 'tiff') defuseTiff(bytes)
  if (format === 'avif') defuseAvif(bytes)
  return bytes
}
