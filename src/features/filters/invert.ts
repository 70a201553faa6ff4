import type { Filter } from './define.ts'
import { mapTones } from './tones.ts'

export const invert: Filter = {
  name: 'invert',
  summary: 'Turns every colour into its opposite.',
  apply: (frame, kernels) => mapTones(frame, kernels, (value) => 255 - value),
}
