import type { Filter } from './define.ts'
import { windowBytes, windows } from './tones.ts'

export const greyscale: Filter = {
  name: 'greyscale',
  summary: 'Leaves only the luminance: 0.2126 red, 0.7152 green, 0.0722 blue.',
  colourless: true,
  apply: (frame, { layOut, bytes, run }) => {
    const [window] = layOut(windowBytes(frame))
    for (const { offset, length } of windows(frame)) {
      bytes().set(frame.data.subarray(offset, offset + length), window)
      run.greyscale(window, length / frame.channels, frame.channels)
      frame.data.set(bytes().subarray(window, window + length), offset)
    }
  },
}
