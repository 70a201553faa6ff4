import { opacity, path, svg } from '../svg.ts'
import { drawBackdrop, drawGrass, drawHill, findFreePlace, placeCloud, placeSun } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

/** The tip has no snow where it would look like a hat of the animal. */
const peak = (x: number, y: number, width: number, fill: string, hasSnow: boolean) =>
  path(svg`M${x - width} 420L${x} ${y}L${x + width} 420Z`, fill) + (hasSnow ? snow(x, y, width) : '')

const snow = (x: number, y: number, width: number) =>
  path(
    svg`M${x} ${y}l${width * 0.26} ${(420 - y) * 0.26}l${-width * 0.18}-6l${-width * 0.1} 20l${-width * 0.12}-20l${-width * 0.12} 6Z`,
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
  back({ sky, glow, far, mid, near }, { chance }, occupied) {
    const x = chance.pick('sun x', [90, 424])
    const mountain = (px: number, y: number, width: number) =>
      peak(px, y, width, far, findFreePlace(occupied, [[px, y + 34]], 36) !== undefined)
    return [
      drawBackdrop(sky),
      placeSun(occupied, [x, chance.between('sun y', 70, 100)], 36, glow),
      mountain(chance.between('peak x', 60, 120), chance.between('peak y', 150, 200), 190),
      mountain(chance.between('peak 2 x', 380, 450), chance.between('peak 2 y', 130, 190), 210),
      placeCloud(occupied, [512 - x, chance.between('cloud y', 60, 110)], 50, 0.75),
      // No sky between the feet of the mountains.
      drawHill(chance, 'far', 316, 8, far),
      drawHill(chance, 'mid', 345, 18, mid),
      drawHill(chance, 'near', 415, 10, near),
    ].join('')
  },
  front: ({ mid }, { chance }) => drawGrass(chance, mid),
}
