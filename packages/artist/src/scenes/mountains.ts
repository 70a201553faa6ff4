import { opacity, path, svg } from '../svg.ts'
import { drawBackdrop, drawCloud, drawGrass, drawHill, drawSun } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const peak = (x: number, y: number, width: number, fill: string) =>
  path(svg`M${x - width} 420L${x} ${y}L${x + width} 420Z`, fill) +
  path(
    svg`M${x} ${y}l${width * 0.26} ${(420 - y) * 0.26}l${-width * 0.12} 4l${-width * 0.1} ${(420 - y) * 0.08}l${-width * 0.1} ${-(420 - y) * 0.09}l${-width * 0.08} ${(420 - y) * 0.06}l${-width * 0.12} ${-(420 - y) * 0.05}Z`,
    '#ffffff',
    opacity(0.85),
  )

export const mountains: Scene = {
  phrase: 'high in the mountains',
  tags: ['landscape', 'outdoors'],
  schemes: [
    scheme('#bfe2f2', '#fff4cf', '#9fb8d8', '#a5cf9a', '#7fb878', '#ffffff'),
    scheme('#ffd9c4', '#fff3d6', '#d99aa5', '#e3b88f', '#c08a70', '#ffffff'),
    scheme('#2f4a80', '#ffeeb8', '#435f98', '#2c5a66', '#234a52', '#ffffff'),
    scheme('#57a5b8', '#fff0c0', '#46869f', '#3f8a72', '#32735f', '#ffffff'),
    scheme('#f6e7c0', '#ffc86b', '#c9b88f', '#c2c27c', '#9da55f', '#ffffff'),
  ],
  back({ sky, glow, far, mid, near }, { chance }) {
    const x = chance.pick('sun x', [90, 424])
    return [
      drawBackdrop(sky),
      drawSun(x, chance.between('sun y', 70, 100), 36, glow),
      peak(chance.between('peak x', 60, 120), chance.between('peak y', 150, 200), 190, far),
      peak(chance.between('peak 2 x', 380, 450), chance.between('peak 2 y', 130, 190), 210, far),
      drawCloud(512 - x, chance.between('cloud y', 60, 110), 50, '#ffffff', 0.75),
      drawHill(chance, 'mid', 345, 18, mid),
      drawHill(chance, 'near', 415, 10, near),
    ].join('')
  },
  front: ({ mid }, { chance }) => drawGrass(chance, mid),
}
