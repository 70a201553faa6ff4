import { star } from '../curves.ts'
import { circle, opacity, path } from '../svg.ts'
import { drawBackdrop, drawHill, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

export const night: Scene = {
  phrase: 'under the moon and the stars',
  tags: ['moon', 'stars', 'outdoors'],
  schemes: [
    scheme('#2d3561', '#ffeeb8', '#39437a', '#27305a', '#1f2749', '#ffe08a'),
    scheme('#43305f', '#ffe3c2', '#563f76', '#3a2952', '#2c1f42', '#ffc9a3'),
    scheme('#1f4e63', '#fdf3c8', '#286178', '#1b4558', '#153747', '#bff0e0'),
    scheme('#9db4e8', '#fff6d8', '#8aa2dc', '#7890cc', '#6179b8', '#ffffff'),
    scheme('#c9b8ec', '#fff6d8', '#b6a3e2', '#a28fd4', '#8874c0', '#ffffff'),
  ],
  back({ sky, glow, far, mid, near, detail }, { chance }) {
    const x = chance.pick('moon x', [100, 256, 408])
    const y = x === 256 ? 200 : chance.between('moon y', 84, 120)
    const r = x === 256 ? 165 : 52
    const crescent = x !== 256 && chance.choose('moon', { full: 1, crescent: 1 }) === 'crescent'
    return [
      drawBackdrop(sky),
      scatter(chance, 'stars', 16, [10, 12, 502, 300], (sx, sy, random) =>
        random() < 0.35
          ? path(star(sx, sy, 9, 3.5, 4), detail)
          : circle(sx, sy, 2 + random() * 2.2, detail, opacity(0.8)),
      ),
      circle(x, y, r * 1.28, glow, opacity(0.16)),
      circle(x, y, r, glow, x === 256 ? opacity(0.9) : ''),
      crescent ? circle(x + 22, y - 12, 44, sky) : circle(x - r * 0.3, y - r * 0.25, r * 0.16, sky, opacity(0.14)),
      crescent ? '' : circle(x + r * 0.35, y + r * 0.3, r * 0.22, sky, opacity(0.14)),
      drawHill(chance, 'far', 330, 22, far),
      drawHill(chance, 'mid', 385, 18, mid),
      drawHill(chance, 'near', 430, 8, near),
    ].join('')
  },
}
