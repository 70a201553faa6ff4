import { CREAM } from '../colour.ts'
import { star } from '../curves.ts'
import { ellipse, line, opacity, path, place, rect, svg } from '../svg.ts'
import { drawBackdrop, drawCloud, drawSun, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const boat = (x: number, sail: string, hull: string) =>
  place(
    { x, y: 262 },
    path('M-30 0H30Q24 18 12 18H-14Q-26 18-30 0Z', hull),
    path('M2-6V-60Q26-40 30-6Z', sail),
    path('M-4-6V-48Q-20-30-22-6Z', sail, opacity(0.8)),
  )

export const seaside: Scene = {
  phrase: 'by the sea',
  tags: ['summer', 'sea', 'beach', 'outdoors'],
  schemes: [
    scheme('#d7f0f4', '#ffe08a', '#7fcad6', '#7fcad6', '#f8e3b4', '#f2795f'),
    scheme('#ffd7bf', '#fff0c8', '#f09f97', '#f09f97', '#f9d9a8', '#7d4a7d'),
    scheme('#fff0d0', '#ffc15e', '#8ccfc1', '#8ccfc1', '#f6dca6', '#e2725b'),
    scheme('#3f7fb5', '#ffe9a8', '#2f6494', '#2f6494', '#e8c98f', '#ff9f7f'),
    scheme('#dd7566', '#ffe3a8', '#a84f6a', '#a84f6a', '#e9b98f', '#5a3a6a'),
    scheme('#4aa79c', '#fff0c0', '#338a86', '#338a86', '#f0d9a0', '#ff9f7f'),
  ],
  back({ sky, glow, far, near, detail }, { chance }) {
    const x = chance.pick('sun x', [96, 412])
    const shore = chance.between('shore', 372, 392)
    return [
      drawBackdrop(sky),
      drawSun(x, 130, 42, glow),
      drawCloud(508 - x, chance.between('cloud y', 70, 120), 54, '#ffffff', 0.7),
      rect(0, 272, 512, 140, far),
      line(
        scatter(chance, 'waves', 12, [10, 292, 490, 362], (wx, y) => svg`M${wx} ${y}q9-8 18 0t18 0`),
        '#ffffff',
        4,
        opacity(0.45),
      ),
      boat(x === 96 ? 466 : 46, CREAM, detail),
      path(svg`M0 ${shore - 6}Q130 ${shore - 22} 256 ${shore - 6}T512 ${shore - 8}V420H0Z`, '#ffffff', opacity(0.6)),
      path(svg`M0 ${shore + 4}Q130 ${shore - 12} 256 ${shore + 4}T512 ${shore + 2}V512H0Z`, near),
    ].join('')
  },
  front: ({ detail, glow }, { chance }) =>
    scatter(chance, 'shells', 5, [20, 470, 490, 496], (x, y, random) =>
      random() < 0.5 ? path(star(x, y, 15, 8, 5, random()), detail) : ellipse(x, y, 9, 6, glow, random() * 90),
    ),
}
