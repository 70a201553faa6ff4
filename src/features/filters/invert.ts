import { defineFilter } from './define-filter.ts'
import { mapTones } from './kernel-runtime.ts'

export const invert = defineFilter({
  name: 'invert',
  summary: 'Inverts every colour.',
  apply: (frame, kernels) => mapTones(frame, kernels, (value) => 255 - value),
})
