import { boxBlur } from './box-blur.ts'
import type { Filter } from './define.ts'

export const blur: Filter = {
  name: 'blur',
  summary:
    'Takes the mean over a square of 2 * strength + 1 pixels a side, twice; the strength is rounded to whole pixels.',
  strength: { min: 1, max: 256, default: 5 },
  apply: (frame, kernels, strength) => boxBlur(frame, Math.round(strength), kernels),
}
