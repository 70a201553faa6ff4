import { ellipse, line, opacity, svg } from '../svg.ts'
import { drawBackdrop, drawHill, drawPine, findFreePlace, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

export const snow: Scene = {
  phrase: 'in falling snow',
  tags: ['winter', 'outdoors'],
  schemes: [
    scheme('#9cd', '#fff', '#bde', '#cde', '#eff', '#578'),
    scheme('#bbd', '#fff', '#cce', '#dde', '#eef', '#669'),
    scheme('#357', '#fff', '#469', '#57a', '#eef', '#235'),
    scheme('#378', '#fff', '#489', '#59a', '#dee', '#255'),
    scheme('#eba', '#fff', '#ecb', '#fdc', '#fee', '#a66'),
  ],
  back: ({ sky, glow, far, mid, near, detail }, { chance }, occupied) =>
    [
      drawBackdrop(sky),
      drawHill(chance, 'far', 270, 24, far),
      scatter(chance, 'pines', 7, [0, 320, 512, 372], (x, y, random) => {
        const size = 0.7 + random() * 0.7
        // Behind the back of the animal, a pine would look like a fin.
        return findFreePlace(occupied, [[x, y - 60 * size]], 60 * size) ? drawPine(x, y, size, detail, near) : ''
      }),
      drawHill(chance, 'mid', 370, 10, mid),
      drawHill(chance, 'near', 420, 8, near),
      line(
        scatter(chance, 'flakes', 14, [6, 6, 510, 400], (x, y) => svg`M${x} ${y}h0`),
        glow,
        12,
        opacity(0.85),
      ),
      line(
        scatter(chance, 'fine flakes', 14, [6, 6, 510, 400], (x, y) => svg`M${x} ${y}h0`),
        glow,
        7,
        opacity(0.85),
      ),
    ].join(''),
  front: ({ near }, { chance }) =>
    ellipse(chance.between('drift', 40, 140), 534, 150, 34, near) +
    ellipse(chance.between('drift 2', 380, 470), 538, 160, 40, near),
}
