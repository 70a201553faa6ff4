import { circle } from '../svg.ts'
import { drawBackdrop, findFreePlace, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

export const spot: Scene = {
  phrase: 'in front of a big circle',
  tags: ['abstract'],
  schemes: [
    scheme('#fdc', '#fed', '#fca', '#fca', '#f97', '#e65'),
    scheme('#dee', '#fed', '#adc', '#adc', '#7ba', '#388'),
    scheme('#ddf', '#fed', '#bbe', '#bbe', '#98d', '#65b'),
    scheme('#489', '#fed', '#378', '#378', '#256', '#fc6'),
    scheme('#d75', '#fed', '#c54', '#c54', '#a43', '#fd8'),
    scheme('#436', '#fed', '#548', '#548', '#335', '#fb6'),
    scheme('#feb', '#fff', '#fd7', '#fd7', '#eb4', '#e83'),
  ],
  back({ sky, glow, far, near, detail }, { chance }, occupied) {
    const bits = scatter(chance, 'confetti', 13, [16, 20, 500, 500], (x, y, random) => {
      const fill = random() < 0.4 ? detail : random() < 0.5 ? glow : near
      const size = 5 + random() * 6
      // The circle would hide a part of it.
      if (Math.hypot(x - 256, y - 260) < 230 || !findFreePlace(occupied, [[x, y]], size + 5)) return ''
      return circle(x, y, size, fill)
    })
    return drawBackdrop(sky) + bits + circle(256, 260, 210, far)
  },
}
