import { circle, ellipse, flower, line, place, svg } from '../svg.ts'
import { drawBackdrop, drawCloud, drawGrass, drawHill, drawSun, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const sunflower = (x: number, y: number, scale: number, petals: string) =>
  place(
    { x, y, scale },
    line('M0 0Q6 60 0 160', '#4f9a56', 9),
    ellipse(-22, 84, 24, 10, '#5fae62', 28) + ellipse(24, 66, 24, 10, '#5fae62', -28),
    flower(0, 0, 44, petals, '#7a4a33'),
    circle(0, 0, 9, '#945d3e'),
  )

export const sunflowers: Scene = {
  phrase: 'in a field of sunflowers',
  tags: ['summer', 'flowers', 'sun', 'outdoors'],
  schemes: [
    scheme('#a9dcf2', '#fff2b8', '#b9dc8f', '#9fce78', '#77b562', '#ffcb3d'),
    scheme('#ffe9c2', '#fff8e0', '#dbe29a', '#c3d27c', '#9dba5f', '#ffb52e'),
    scheme('#3f86b8', '#ffeaa0', '#3b8a66', '#327a58', '#29674a', '#ffc93d'),
    scheme('#f0916b', '#fff0b8', '#c46f52', '#a95c4a', '#86483f', '#ffc23d'),
    scheme('#4a3f7a', '#ffe3a0', '#43396e', '#3a3260', '#302a52', '#f7b83d'),
  ],
  back({ sky, glow, far, mid, near, detail }, { chance }) {
    const x = chance.pick('sun x', [92, 420])
    const rows = scatter(chance, 'far flowers', 14, [4, 338, 508, 376], (fx, y) => svg`M${fx} ${y}h0`)
    return [
      drawBackdrop(sky),
      drawSun(x, chance.between('sun y', 74, 110), 44, glow),
      drawCloud(512 - x, chance.between('cloud y', 60, 110), 52, '#ffffff', 0.7),
      drawHill(chance, 'far', 290, 16, far),
      drawHill(chance, 'mid', 345, 10, mid),
      line(rows, detail, 19) + line(rows, '#7a4a33', 8),
      drawHill(chance, 'near', 405, 8, near),
      // At the sides, where they do not cover the animal.
      sunflower(chance.between('flower x', 18, 46), chance.between('flower y', 290, 320), 1, detail),
      sunflower(chance.between('flower 2 x', 84, 100), 348, 0.7, detail),
      sunflower(chance.between('flower 3 x', 466, 494), chance.between('flower 3 y', 290, 320), 1, detail),
      sunflower(chance.between('flower 4 x', 412, 430), 352, 0.66, detail),
    ].join('')
  },
  front: ({ mid }, { chance }) => drawGrass(chance, mid),
}
