import { computeWindowBytes, copyWindows, defineFilter } from './define-filter.ts'

export const greyscale = defineFilter({
  name: 'greyscale',
  summary: 'Keeps only the luminance: 0.2126 red, 0.7152 green, 0.0722 blue.',
  isGrey: true,
  apply: (frame, kernels) => {
    const [window] = kernels.allocate(computeWindowBytes(frame))
    for (const { length } of copyWindows(frame, kernels, window)) {
      kernels.run.greyscale(window, length / frame.channels, frame.channels)
    }
  },
})
