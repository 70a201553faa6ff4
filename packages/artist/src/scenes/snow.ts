import { ellipse, line, opacity, svg } from '../svg.ts'
import { drawBackdrop, drawHill, drawPine, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

export const snow: Scene = {
  phrase: 'in falling snow',
  tags: ['winter', 'outdoors'],
  schemes: [
    scheme('#9fc4dd', '#ffffff', '#b9d6e8', '#cfe3f0', '#f1f8fc', '#4f7f8f'),
    scheme('#c3b7e0', '#ffffff', '#d3c9ec', '#e0d9f4', '#f6f2fc', '#6d62a0'),
    scheme('#35507a', '#ffffff', '#456491', '#5877a3', '#e6eefa', '#26395a'),
    scheme('#3b7080', '#ffffff', '#4a8494', '#5a95a4', '#e4f3f3', '#27505d'),
    scheme('#f4b9a7', '#ffffff', '#f6c8ba', '#f9d9ce', '#fff4ef', '#a8626b'),
  ],
  back: ({ sky, glow, far, mid, near, detail }, { chance }) =>
    [
      drawBackdrop(sky),
      drawHill(chance, 'far', 270, 24, far),
      scatter(chance, 'pines', 7, [0, 320, 512, 372], (x, y, random) =>
        x > 190 && x < 320 ? '' : drawPine(x, y, 0.7 + random() * 0.7, detail, near),
      ),
      drawHill(chance, 'mid', 370, 10, mid),
      drawHill(chance, 'near', 424, 8, near),
      line(
        scatter(chance, 'flakes', 14, [6, 6, 506, 400], (x, y) => svg`M${x} ${y}h0`),
        glow,
        12,
        opacity(0.85),
      ),
      line(
        scatter(chance, 'fine flakes', 14, [6, 6, 506, 400], (x, y) => svg`M${x} ${y}h0`),
        glow,
        7,
        opacity(0.85),
      ),
    ].join(''),
  front: ({ near }, { chance }) =>
    ellipse(chance.between('drift', 40, 140), 516, 150, 34, near) +
    ellipse(chance.between('drift 2', 380, 470), 520, 160, 40, near),
}
