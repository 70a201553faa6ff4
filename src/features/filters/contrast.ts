import { defineFilter } from './define-filter.ts'
import { mapTones, type ToneCurve } from './kernel-runtime.ts'

const MIDDLE = 127

/** At strength 1 the factor would be infinite. */
const threshold: ToneCurve = (value) => (value > MIDDLE ? 255 : 0)

const scaleAroundMiddle =
  (factor: number): ToneCurve =>
  (value) =>
    Math.min(Math.max(Math.floor(factor * (value - MIDDLE) + MIDDLE), 0), 255)

export const contrast = defineFilter({
  name: 'contrast',
  summary: 'Increases or decreases contrast around mid-grey. -1 gives flat grey, 1 a threshold.',
  strength: { min: -1, max: 1, default: 0.1 },
  apply: (frame, kernels, strength) =>
    mapTones(frame, kernels, strength === 1 ? threshold : scaleAroundMiddle((strength + 1) / (1 - strength))),
})
