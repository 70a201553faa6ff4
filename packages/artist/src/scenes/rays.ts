import { circle, opacity, path, svg } from '../svg.ts'
import { drawBackdrop, drawGround } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

export const rays: Scene = {
  phrase: 'in front of bright rays',
  tags: ['abstract'],
  schemes: [
    scheme('#ffd98e', '#fff6e3', '#ffcb6b', '#ffcb6b', '#f2a65a', '#e8694f'),
    scheme('#bfe3f2', '#fff6e3', '#a5d4ea', '#a5d4ea', '#6fb3d6', '#ffcf5c'),
    scheme('#f7bcc9', '#fff6e3', '#f3a8ba', '#f3a8ba', '#e07f99', '#8d4d92'),
    scheme('#4a9c8c', '#fff6e3', '#3e8a7b', '#3e8a7b', '#2b6b60', '#ffd166'),
    scheme('#33618f', '#fff6e3', '#3d6f9f', '#3d6f9f', '#264a70', '#ffb86b'),
    scheme('#b8506a', '#fff6e3', '#c55e78', '#c55e78', '#8f3a54', '#ffd98e'),
  ],
  back({ sky, glow, far, near }, { chance }) {
    const turn = chance.between('rays turn', 0, 0.1)
    const count = chance.pick('rays count', [9, 11, 13])
    const beams = Array.from({ length: count }, (_, i) => {
      const at = (share: number) => {
        const angle = ((i + share) / count + turn) * 2 * Math.PI
        return svg`${256 + 420 * Math.cos(angle)} ${250 + 420 * Math.sin(angle)}`
      }
      return `M256 250L${at(0)}L${at(0.5)}Z`
    }).join('')
    return drawBackdrop(sky) + path(beams, far) + circle(256, 250, 150, glow, opacity(0.28)) + drawGround(436, near)
  },
}
