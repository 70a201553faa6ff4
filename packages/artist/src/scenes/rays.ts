import { path, svg } from '../svg.ts'
import { drawBackdrop, drawGround } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

export const rays: Scene = {
  phrase: 'in front of bright rays',
  tags: ['abstract'],
  schemes: [
    scheme('#fd8', '#fed', '#fc6', '#fc6', '#ea5', '#e65'),
    scheme('#bde', '#fed', '#ace', '#ace', '#7bd', '#fc5'),
    scheme('#fbc', '#fed', '#eab', '#eab', '#d79', '#859'),
    scheme('#498', '#fed', '#487', '#487', '#366', '#fc6'),
    scheme('#368', '#fed', '#479', '#479', '#247', '#fb6'),
    scheme('#b56', '#fed', '#c67', '#c67', '#835', '#fd8'),
  ],
  back({ sky, far, near }, { chance }) {
    const turn = chance.between('rays turn', 0, 0.1)
    const count = chance.pick('rays count', [9, 11, 13])
    const beams = Array.from({ length: count }, (_, i) => {
      const at = (share: number) => {
        const angle = ((i + share) / count + turn) * 2 * Math.PI
        return svg`${256 + 420 * Math.cos(angle)} ${250 + 420 * Math.sin(angle)}`
      }
      return `M256 250L${at(0)}L${at(0.5)}Z`
    }).join('')
    return drawBackdrop(sky) + path(beams, far) + drawGround(440, near)
  },
}
