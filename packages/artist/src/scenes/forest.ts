import { CREAM } from '../colour.ts'
import type { Point } from '../curves.ts'
import { circle, ellipse, opacity, path, place, svg } from '../svg.ts'
import { drawBackdrop, drawGrass, drawHill, findFreePlace, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const trunk = (x: number, width: number, fill: string) =>
  path(
    svg`M${x}-10C${x + 6} 150 ${x + 4} 300 ${x - 12} 430H${x + width + 12}C${x + width - 4} 300 ${x + width - 6} 150 ${x + width}-10Z`,
    fill,
  )

const mushroom = (x: number, y: number, scale: number, cap: string) =>
  place(
    { x, y, scale },
    path('M-9-25H9Q8-6 13 0H-13Q-8-6-9-25Z', '#fed'),
    path('M-30-25Q-30-60 0-60T30-25Q0-14-30-25Z', cap),
    circle(-10, -40, 5, CREAM),
    circle(9, -45, 4, CREAM),
    circle(14, -32, 4, CREAM),
  )

export const forest: Scene = {
  phrase: 'in a forest',
  tags: ['trees', 'outdoors'],
  schemes: [
    scheme('#dec', '#fec', '#bdb', '#aca', '#7a7', '#e65'),
    scheme('#fec', '#ffe', '#eca', '#db8', '#b86', '#d55'),
    scheme('#366', '#8ca', '#265', '#254', '#244', '#f97'),
    scheme('#357', '#9be', '#347', '#246', '#235', '#e8a'),
    scheme('#cde', '#fff', '#bcd', '#9bc', '#69a', '#c69'),
  ],
  back({ sky, glow, far, mid, near, detail }, { chance }, occupied) {
    const draw = (x: number, edge: number, size: number) => {
      const places = [x, edge].map((px): Point => [px, 496 - 30 * size])
      const free = findFreePlace(occupied, places, 32 * size)
      return free ? mushroom(free[0], 496, size, detail) : ''
    }
    return [
      drawBackdrop(sky),
      ellipse(256, 210, 210, 230, glow, 0, opacity(0.22)),
      scatter(chance, 'far trunks', 6, [0, 0, 512, 1], (x, _, random) => trunk(x, 18 + random() * 12, far)),
      scatter(chance, 'trunks', 4, [-30, 0, 500, 1], (x, _, random) =>
        x > 120 && x < 340 ? '' : trunk(x, 38 + random() * 16, mid),
      ),
      path(
        'M-10-10H520V50Q490 90 440 60Q400 95 350 55Q300 90 256 50Q200 90 150 55Q100 98 60 60Q20 90-10 50Z',
        near,
        opacity(0.9),
      ),
      drawHill(chance, 'near', 412, 8, near),
      drawGrass(chance, mid),
      // Not in the front part, which portraits do not have.
      draw(chance.between('mushroom x', 40, 110), 36, chance.between('mushroom size', 0.8, 1.2)),
      draw(chance.between('mushroom 2 x', 400, 470), 476, chance.between('mushroom 2 size', 0.6, 1.1)),
    ].join('')
  },
}
