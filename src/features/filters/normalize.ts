import { defineFilter, type Frame } from './define-filter.ts'
import { computeWindowBytes, copyWindows, type Kernels, mapTones } from './kernel-runtime.ts'

/** Bytes that kernels/ranges.ts needs for minima, maxima and its working lanes. */
const RANGES_BYTES = 112

/** Includes transparent pixels: the result must not depend on what is visible. */
function measureChannels(frame: Frame, kernels: Kernels): { min: number; max: number }[] {
  const { allocate, bytes, run } = kernels
  const [window, ranges] = allocate(computeWindowBytes(frame), RANGES_BYTES)
  bytes()
    .fill(255, ranges, ranges + 4)
    .fill(0, ranges + 4, ranges + 8)
  for (const { length } of copyWindows(frame, kernels, window, true)) {
    run.widenRanges(window, length, frame.channels, ranges)
  }
  return [0, 1, 2].map((channel) => ({ min: bytes()[ranges + channel]!, max: bytes()[ranges + 4 + channel]! }))
}

export const normalize = defineFilter({
  name: 'normalize',
  summary: 'Stretches each channel to the full range, from its own minimum and maximum.',
  apply: (frame, kernels) => {
    const ranges = measureChannels(frame, kernels)
    mapTones(frame, kernels, (value, channel) => {
      const { min, max } = ranges[channel]!
      // A channel of one value becomes 0, as the minimum of every other channel does.
      return max === min ? 0 : Math.floor(((value - min) * 255) / (max - min))
    })
  },
})
