import { bumpyOutline, ellipsePoints } from '../curves.ts'
import { line, path, svg } from '../svg.ts'
import { drawBackdrop, drawCloud, drawGrass, drawHill, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

/** Petals fall in two directions. */
const petal = (x: number, y: number, random: () => number) =>
  random() < 0.5 ? svg`M${x} ${y}q12-2 14 7q-12 4-14-7Z` : svg`M${x} ${y}q2 12-7 14q-4-12 7-14Z`

/** Two cherry trees at the sides, whose crowns meet above the animal. */
export const blossom: Scene = {
  phrase: 'under blossoming cherry trees',
  tags: ['spring', 'cherry-blossom', 'flowers', 'outdoors'],
  prominent: ['detail'],
  schemes: [
    scheme('#cfeaf5', '#ffffff', '#d3ecc0', '#b3dba0', '#8cc586', '#f7a8c0'),
    scheme('#fdf3d8', '#ffffff', '#dfe7ae', '#c9d892', '#9fc17a', '#f08fb0'),
    scheme('#8fd0d6', '#ffffff', '#8ccdae', '#72b898', '#559c80', '#fbc4d4'),
    scheme('#4d6aa8', '#fff0f4', '#44588f', '#3a4c7c', '#30406a', '#f3a0bd'),
    scheme('#5f4d86', '#ffe6ee', '#523f76', '#483768', '#3b2c58', '#f0a3c4'),
  ],
  back({ sky, glow, far, mid, near, detail }, { chance }) {
    const crown = (x: number, y: number, rx: number, ry: number, fill: string) =>
      path(bumpyOutline(ellipsePoints(x, y, rx, ry, 18), 44), fill)
    const blossoms = [-10, 366]
      .map((left) => scatter(chance, `blossoms ${left}`, 10, [left, 4, left + 150, 96], (x, y) => svg`M${x} ${y}h0`))
      .join('')
    const trunks = 'M-10 440Q30 300 20 60H56Q54 300 66 440ZM446 440Q468 300 462 60H496Q488 300 522 440Z'
    return [
      drawBackdrop(sky),
      drawCloud(chance.between('cloud x', 190, 330), chance.between('cloud y', 150, 200), 46, '#ffffff', 0.6),
      drawHill(chance, 'far', 300, 18, far),
      drawHill(chance, 'mid', 360, 12, mid),
      path(trunks, '#8a6258'),
      line('M36 190Q70 150 96 120M478 210Q440 160 420 110', '#8a6258', 12),
      crown(40, 40, 130, 78, detail),
      crown(474, 30, 130, 74, detail),
      line(blossoms, glow, 15) + line(blossoms, detail, 6),
      drawHill(chance, 'near', 425, 8, near),
      path(scatter(chance, 'petals', 14, [10, 120, 502, 420], petal), detail),
    ].join('')
  },
  front: ({ mid, detail, glow }, { chance }) =>
    drawGrass(chance, mid) +
    path(scatter(chance, 'near petals', 7, [10, 464, 500, 502], petal), detail) +
    path(scatter(chance, 'pale petals', 3, [40, 464, 470, 502], petal), glow),
}
