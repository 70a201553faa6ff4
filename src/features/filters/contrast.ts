import { defineFilter } from './define-filter.ts'
import { mapTones, type ToneCurve } from './map-tones.ts'

const MIDDLE = 127
/** From this factor on, every level but the middle becomes 0 or 255. */
const MAX_FACTOR = 128

/** At strength 1 the factor would be infinite. */
const threshold: ToneCurve = { slope: 2 * MAX_FACTOR, compute: (value) => (value > MIDDLE ? 255 : 0) }

const scaleAroundMiddle = (factor: number): ToneCurve => ({
  slope: Math.min(factor, MAX_FACTOR),
  compute: (value) => factor * (value - MIDDLE) + MIDDLE,
})

export const contrast = defineFilter({
  name: 'contrast',
  summary: 'Increases or decreases contrast around mid-grey. -1 makes the image grey, 1 makes each channel 0 or 255.',
  strength: { min: -1, max: 1, default: 0.1 },
  apply: (frame, kernels, strength) => {
    const curve = strength === 1 ? threshold : scaleAroundMiddle((strength + 1) / (1 - strength))
    mapTones(frame, kernels, [curve, curve, curve])
  },
})
