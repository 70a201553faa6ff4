import { defineFilter } from './define-filter.ts'
import { mapTones, type ToneCurve } from './map-tones.ts'

const curve: ToneCurve = { slope: -1, compute: (value) => 255 - value }

export const invert = defineFilter({
  name: 'invert',
  summary: 'Inverts every colour.',
  apply: (frame, kernels) => mapTones(frame, kernels, [curve, curve, curve]),
})
