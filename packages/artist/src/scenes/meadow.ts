import { CREAM } from '../colour.ts'
import { flower, line, svg } from '../svg.ts'
import { drawBackdrop, drawGrass, drawHill, findFreePlace, placeCloud, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

export const meadow: Scene = {
  phrase: 'in a meadow of flowers',
  tags: ['spring', 'flowers', 'outdoors'],
  schemes: [
    scheme('#dee', '#fd8', '#bda', '#ac8', '#7b7', '#e8a'),
    scheme('#fec', '#fb6', '#dd9', '#cd8', '#ab6', '#e65'),
    scheme('#fdd', '#feb', '#cdb', '#ac9', '#8b8', '#a7c'),
    scheme('#5ab', '#fea', '#487', '#376', '#365', '#fbb'),
    scheme('#56a', '#fea', '#458', '#367', '#356', '#fc6'),
  ],
  back({ sky, far, mid, near, glow, detail }, { chance }, occupied) {
    // The animal or its ball would hide a part of the flower.
    const blossom = (x: number, y: number) => (findFreePlace(occupied, [[x, y]], 9) ? svg`M${x} ${y}h0` : '')
    const farFlowers = scatter(chance, 'far flowers', 7, [10, 366, 502, 410], blossom)
    return [
      drawBackdrop(sky),
      placeCloud(occupied, [chance.between('cloud x', 60, 200), chance.between('cloud y', 70, 120)], 54, 0.7),
      placeCloud(occupied, [chance.between('cloud 2 x', 330, 450), chance.between('cloud 2 y', 60, 140)], 42, 0.7),
      drawHill(chance, 'far', 290, 16, far),
      drawHill(chance, 'mid', 350, 12, mid),
      line(farFlowers, detail, 15) + line(farFlowers, glow, 6),
      line(scatter(chance, 'pale flowers', 7, [10, 370, 500, 410], blossom), CREAM, 12),
      drawHill(chance, 'near', 430, 8, near),
    ].join('')
  },
  front: ({ near, detail, glow, mid }, { chance }) =>
    drawGrass(chance, mid) +
    scatter(chance, 'near flowers', 8, [14, 470, 500, 500], (x, y, random) =>
      flower(
        x,
        y,
        13 + random() * 5,
        random() < 0.5 ? detail : random() < 0.5 ? CREAM : glow,
        random() < 0.5 ? glow : near,
      ),
    ),
}
