import { bumpyOutline, ellipsePoints } from '../curves.ts'
import { line, path, svg } from '../svg.ts'
import { drawBackdrop, drawCloud, drawGrass, drawHill, findFreePlace, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

/** Petals fall in two directions. */
const petal = (x: number, y: number, random: () => number) =>
  random() < 0.5 ? svg`M${x} ${y}q12-2 14 7q-12 4-14-7Z` : svg`M${x} ${y}q2 12-7 14q-4-12 7-14Z`

const TRUNK = '#865'

/** Two cherry trees at the sides, whose crowns meet above the animal. */
export const blossom: Scene = {
  phrase: 'under blossoming cherry trees',
  tags: ['spring', 'cherry-blossom', 'flowers', 'outdoors'],
  prominent: ['detail'],
  fixed: TRUNK,
  schemes: [
    scheme('#cee', '#fff', '#ceb', '#bd9', '#8c8', '#fab'),
    scheme('#fed', '#fff', '#dea', '#cd9', '#9b7', '#e8a'),
    scheme('#8cd', '#fff', '#8ca', '#7b9', '#598', '#fcc'),
    scheme('#56a', '#fee', '#458', '#347', '#346', '#e9b'),
    scheme('#658', '#fee', '#547', '#436', '#335', '#eac'),
  ],
  back({ sky, glow, far, mid, near, detail }, { chance }, occupied) {
    const crown = (x: number, y: number, rx: number, ry: number, fill: string) =>
      path(bumpyOutline(ellipsePoints(x, y, rx, ry, 18), 45), fill)
    const blossoms = [-10, 370]
      .map((left) => scatter(chance, `blossoms ${left}`, 10, [left, 4, left + 150, 95], (x, y) => svg`M${x} ${y}h0`))
      .join('')
    const trunks = 'M-10 440Q30 300 20 60H56Q54 300 66 440ZM446 440Q468 300 462 60H496Q488 300 522 440Z'
    const x = chance.between('cloud x', 190, 330)
    const y = chance.between('cloud y', 150, 200)
    const cloud = findFreePlace(
      occupied,
      [
        [x, y],
        [512 - x, y],
        [256, 60],
      ],
      56,
    )
    return [
      drawBackdrop(sky),
      cloud ? drawCloud(...cloud, 46, '#fff', 0.6) : '',
      drawHill(chance, 'far', 300, 18, far),
      drawHill(chance, 'mid', 360, 12, mid),
      path(trunks, TRUNK),
      line('M35 190Q70 150 95 120M480 210Q440 160 420 110', TRUNK, 12),
      crown(40, 40, 130, 80, detail),
      crown(470, 30, 130, 75, detail),
      line(blossoms, glow, 15) + line(blossoms, detail, 6),
      drawHill(chance, 'near', 430, 8, near),
      path(scatter(chance, 'petals', 14, [10, 120, 500, 420], petal), detail),
    ].join('')
  },
  front: ({ mid, detail, glow }, { chance }) =>
    drawGrass(chance, mid) +
    path(scatter(chance, 'near petals', 7, [10, 460, 500, 500], petal), detail) +
    path(scatter(chance, 'pale petals', 3, [40, 460, 470, 500], petal), glow),
}
