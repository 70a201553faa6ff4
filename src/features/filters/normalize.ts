import type { Filter, Frame } from './define.ts'
import { mapTones, windowBytes, windows } from './tones.ts'
import type { Kernels } from './wasm.ts'

type Range = { least: number; most: number }

/** Bytes that kernels/ranges.ts wants for its minima and maxima and, behind them, its lanes. */
const RANGES_BYTES = 112

/** Of all pixels, the transparent ones too: a frame's colours do not depend on what is shown through them. */
function channelRanges(frame: Frame, { layOut, bytes, run }: Kernels): Range[] {
  const [window, ranges] = layOut(windowBytes(frame), RANGES_BYTES)
  bytes()
    .fill(255, ranges, ranges + 4)
    .fill(0, ranges + 4, ranges + 8)
  for (const { offset, length } of windows(frame)) {
    bytes().set(frame.data.subarray(offset, offset + length), window)
    run.widenRanges(window, length, frame.channels, ranges)
  }
  return [0, 1, 2].map((channel) => ({ least: bytes()[ranges + channel]!, most: bytes()[ranges + 4 + channel]! }))
}

export const normalize: Filter = {
  name: 'normalize',
  summary: 'Stretches each channel from its own least and greatest value to the full range.',
  apply: (frame, kernels) => {
    const ranges = channelRanges(frame, kernels)
    mapTones(frame, kernels, (value, channel) => {
      const { least, most } = ranges[channel]!
      // A channel of one value has nothing to stretch: its least value goes to 0, as in every other channel.
      return most === least ? 0 : Math.floor(((value - least) * 255) / (most - least))
    })
  },
}
