import { opacity, path, svg } from '../svg.ts'
import { drawBackdrop, drawCloud, drawGrass, drawHill, drawSun } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const peak = (x: number, y: number, width: number, fill: string) =>
  path(svg`M${x - width} 420L${x} ${y}L${x + width} 420Z`, fill) +
  path(
    svg`M${x} ${y}l${width * 0.26} ${(420 - y) * 0.26}l${-width * 0.12} 4l${-width * 0.1} ${(420 - y) * 0.08}l${-width * 0.1} ${-(420 - y) * 0.09}l${-width * 0.08} ${(420 - y) * 0.06}l${-width * 0.12} ${-(420 - y) * 0.05}Z`,
    '#fff',
    opacity(0.85),
  )

export const mountains: Scene = {
  phrase: 'high in the mountains',
  tags: ['landscape', 'outdoors'],
  schemes: [
    scheme('#bde', '#fec', '#9bd', '#ac9', '#7b7', '#fff'),
    scheme('#fdc', '#fed', '#d9a', '#db8', '#b87', '#fff'),
    scheme('#348', '#feb', '#469', '#356', '#245', '#fff'),
    scheme('#5ab', '#feb', '#489', '#487', '#376', '#fff'),
    scheme('#eeb', '#fc6', '#cb8', '#bb7', '#9a6', '#fff'),
  ],
  back({ sky, glow, far, mid, near }, { chance }) {
    const x = chance.pick('sun x', [90, 420])
    return [
      drawBackdrop(sky),
      drawSun(x, chance.between('sun y', 70, 100), 36, glow),
      peak(chance.between('peak x', 60, 120), chance.between('peak y', 150, 200), 190, far),
      peak(chance.between('peak 2 x', 380, 450), chance.between('peak 2 y', 130, 190), 210, far),
      drawCloud(512 - x, chance.between('cloud y', 60, 110), 50, '#fff', 0.75),
      drawHill(chance, 'mid', 350, 18, mid),
      drawHill(chance, 'near', 420, 10, near),
    ].join('')
  },
  front: ({ mid }, { chance }) => drawGrass(chance, mid),
}
