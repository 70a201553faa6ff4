import { computeWindowBytes, copyWindows, defineFilter, type Frame, type Kernels } from './define-filter.ts'
import { mapTones, type ToneCurve } from './map-tones.ts'

/** Bytes that kernels/tones.ts needs for minima, maxima and its working lanes. */
const RANGES_BYTES = 112

/** Includes transparent pixels: the result must not depend on what is visible. */
function createCurves(frame: Frame, kernels: Kernels): ToneCurve[] {
  const { allocate, bytes, run } = kernels
  const [window, ranges] = allocate(computeWindowBytes(frame), RANGES_BYTES)
  bytes()
    .fill(255, ranges, ranges + 4)
    .fill(0, ranges + 4, ranges + 8)
  for (const { length } of copyWindows(frame, kernels, window, true)) {
    run.widenRanges(window, length, frame.channels, ranges)
  }
  return [0, 1, 2].map((channel) => stretch(bytes()[ranges + channel]!, bytes()[ranges + 4 + channel]!))
}

/** A channel of one value becomes 0, as the minimum of every other channel does. */
const stretch = (min: number, max: number): ToneCurve =>
  min === max
    ? { slope: 0, compute: () => 0 }
    : { slope: 255 / (max - min), compute: (value) => ((value - min) * 255) / (max - min) }

export const normalize = defineFilter({
  name: 'normalize',
  summary: 'Stretches each channel to the full range, from its own minimum and maximum.',
  apply: (frame, kernels) => mapTones(frame, kernels, createCurves(frame, kernels)),
})
