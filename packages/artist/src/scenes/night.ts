import { star } from '../curves.ts'
import { circle, opacity, path, svg } from '../svg.ts'
import { drawBackdrop, drawHill, findFreePlace, findInSky, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

/** The radius of the glow, relative to that of the moon. */
const HALO = 1.28

export const night: Scene = {
  phrase: 'under the moon and the stars',
  tags: ['moon', 'stars', 'outdoors'],
  prominent: ['glow'],
  schemes: [
    scheme('#336', '#feb', '#347', '#235', '#224', '#fd8'),
    scheme('#436', '#fdb', '#547', '#325', '#324', '#fca'),
    scheme('#256', '#fec', '#267', '#245', '#134', '#bed'),
    scheme('#9be', '#fed', '#8ad', '#78c', '#67b', '#fff'),
    scheme('#cbe', '#fed', '#bad', '#a8c', '#87b', '#fff'),
  ],
  back({ sky, glow, far, mid, near, detail }, { chance }, occupied) {
    const wantedX = chance.pick('moon x', [100, 256, 408])
    const wantedY = chance.between('moon y', 84, 120)
    const small = (wantedX === 256 ? [] : [52, 36]).flatMap((r) => {
      const found = findInSky(occupied, [wantedX, wantedY], r * HALO + 8)
      return found ? [[...found, r] as const] : []
    })[0]
    // The large moon is behind the whole animal.
    const [x, y, r] = small ?? [256, 200, 180]
    const crescent = small && chance.choose('moon', { full: 1, crescent: 1 }) === 'crescent'
    return [
      drawBackdrop(sky),
      scatter(chance, 'stars', 16, [10, 12, 500, 300], (sx, sy, random) =>
        !findFreePlace(occupied, [[sx, sy]], 10)
          ? ''
          : random() < 0.35
            ? path(star(sx, sy, 9, 3.5, 4), detail)
            : circle(sx, sy, 2 + random() * 2.2, detail, opacity(0.8)),
      ),
      circle(x, y, r * HALO, glow, opacity(0.16)),
      crescent
        ? path(
            svg`M${x + r * 0.2} ${y - r * 0.98}A${r} ${r} 0 1 0 ${x + r * 0.98} ${y + r * 0.2}A${r * 0.85} ${r * 0.85} 0 1 1 ${x + r * 0.2} ${y - r * 0.98}Z`,
            glow,
          )
        : circle(x, y, r, glow),
      // Craters of the large moon would look like parts of the animal.
      small && !crescent
        ? circle(x - r * 0.3, y - r * 0.25, r * 0.16, sky, opacity(0.14)) +
          circle(x + r * 0.35, y + r * 0.3, r * 0.22, sky, opacity(0.14))
        : '',
      drawHill(chance, 'far', 330, 22, far),
      drawHill(chance, 'mid', 390, 18, mid),
      drawHill(chance, 'near', 430, 8, near),
    ].join('')
  },
}
