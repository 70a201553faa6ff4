import type { Filter } from './define.ts'
import { mapTones, type Tones } from './tones.ts'

const MIDDLE = 127

/** At full strength the factor would be infinite. */
const threshold: Tones = (value) => (value > MIDDLE ? 255 : 0)

const linearAboutMiddle =
  (factor: number): Tones =>
  (value) =>
    Math.min(Math.max(Math.floor(factor * (value - MIDDLE) + MIDDLE), 0), 255)

export const contrast: Filter = {
  name: 'contrast',
  summary: 'Spreads or flattens the tones about the middle; -1 is flat grey, 1 a pure threshold.',
  strength: { min: -1, max: 1, default: 0.1 },
  apply: (frame, kernels, strength) =>
    mapTones(frame, kernels, strength === 1 ? threshold : linearAboutMiddle((strength + 1) / (1 - strength))),
}
