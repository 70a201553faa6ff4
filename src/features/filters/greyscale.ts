import { defineFilter } from './define-filter.ts'
import { computeWindowBytes, iterateWindows } from './tones.ts'

export const greyscale = defineFilter({
  name: 'greyscale',
  summary: 'Keeps only the luminance: 0.2126 red, 0.7152 green, 0.0722 blue.',
  isGrey: true,
  apply: (frame, { allocate, bytes, run }) => {
    const [window] = allocate(computeWindowBytes(frame))
    for (const { offset, length } of iterateWindows(frame)) {
      bytes().set(frame.data.subarray(offset, offset + length), window)
      run.greyscale(window, length / frame.channels, frame.channels)
      frame.data.set(bytes().subarray(window, window + length), offset)
    }
  },
})
