import { star } from '../curves.ts'
import { circle, line, opacity, path, svg } from '../svg.ts'
import { drawBackdrop, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

export const spot: Scene = {
  phrase: 'in front of a big round dot',
  tags: ['abstract'],
  schemes: [
    scheme('#ffe3d3', '#fff6e3', '#ffc4a8', '#ffc4a8', '#ff9f7f', '#e8694f'),
    scheme('#d8efe6', '#fff6e3', '#a9dccb', '#a9dccb', '#71bfa8', '#2f8f83'),
    scheme('#e4defa', '#fff6e3', '#c3b6f0', '#c3b6f0', '#9a88dd', '#6b55c0'),
    scheme('#3f8f9e', '#fff6e3', '#2f7686', '#2f7686', '#235d6e', '#ffd166'),
    scheme('#e2725b', '#fff6e3', '#c85a47', '#c85a47', '#a94538', '#ffe08a'),
    scheme('#3d3a6b', '#fff6e3', '#4f4b8a', '#4f4b8a', '#2f2c57', '#ffb86b'),
    scheme('#fff0c2', '#ffffff', '#ffd97a', '#ffd97a', '#f5bd48', '#e88a3a'),
  ],
  back({ sky, glow, far, near, detail }, { chance }) {
    const motif = chance.pick('spot motif', ['dots', 'stars', 'dashes', 'rings'])
    const bits = scatter(chance, 'confetti', 13, [16, 20, 500, 500], (x, y, random) => {
      const fill = random() < 0.4 ? detail : random() < 0.5 ? glow : near
      const size = 5 + random() * 6
      if (motif === 'dots') return circle(x, y, size, fill)
      if (motif === 'stars') return path(star(x, y, size * 1.7, size * 0.75), fill)
      if (motif === 'rings') return circle(x, y, size, 'none', `stroke="${fill}" stroke-width="5"`)
      return line(svg`M${x - size} ${y - size}l${size * 2} ${size * 2 * (random() - 0.3)}`, fill, 7)
    })
    return (
      drawBackdrop(sky) +
      bits +
      circle(256, 262, 206, far) +
      circle(256, 262, 206, 'none', `stroke="${glow}" stroke-width="6" ${opacity(0.5)}`)
    )
  },
}
