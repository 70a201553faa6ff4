import { drawBackdrop, drawHill, drawTree, findFreePlace, placeCloud, placeSun, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

export const hills: Scene = {
  phrase: 'among rolling hills',
  tags: ['summer', 'landscape', 'outdoors'],
  schemes: [
    scheme('#cee', '#fec', '#bdb', '#9c9', '#7b7', '#486'),
    scheme('#fdc', '#fed', '#eba', '#e98', '#c77', '#a56'),
    scheme('#fec', '#fd7', '#dd9', '#bc7', '#9a6', '#685'),
    scheme('#7bc', '#feb', '#59a', '#488', '#377', '#256'),
    scheme('#d87', '#fda', '#b66', '#956', '#745', '#534'),
    scheme('#57a', '#feb', '#459', '#358', '#347', '#235'),
  ],
  back({ sky, glow, far, mid, near, detail }, { chance }, occupied) {
    const x = chance.pick('sun x', [86, 420])
    const r = chance.between('sun r', 34, 48)
    return [
      drawBackdrop(sky),
      placeSun(occupied, [x, chance.between('sun y', 74, 120)], r, glow),
      placeCloud(occupied, [chance.between('cloud x', 150, 340), chance.between('cloud y', 54, 90)], 50, 0.75),
      placeCloud(occupied, [512 - x + 20, chance.between('cloud 2 y', 120, 170)], 36, 0.6),
      drawHill(chance, 'far', 270, 26, far),
      drawHill(chance, 'mid', 340, 24, mid),
      scatter(chance, 'trees', 5, [10, 330, 500, 390], (tx, y, random) => {
        const size = 0.5 + random() * 0.35
        return findFreePlace(occupied, [[tx, y - 70 * size]], 70 * size) ? drawTree(tx, y, size, detail, near) : ''
      }),
      drawHill(chance, 'near', 410, 12, near),
    ].join('')
  },
}
