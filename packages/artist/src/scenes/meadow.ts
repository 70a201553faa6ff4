import { CREAM } from '../colour.ts'
import { flower, line, svg } from '../svg.ts'
import { drawBackdrop, drawCloud, drawGrass, drawHill, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const blossom = (x: number, y: number) => svg`M${x} ${y}h0`

export const meadow: Scene = {
  phrase: 'in a meadow of flowers',
  tags: ['spring', 'flowers', 'outdoors'],
  schemes: [
    scheme('#d5eef2', '#ffe08a', '#bfe3b0', '#a4d48f', '#7fbf78', '#f58aa7'),
    scheme('#fff1cf', '#ffb86b', '#dfe3a0', '#c6d684', '#a3bf69', '#e8694f'),
    scheme('#fbd9e3', '#fff0c0', '#c8dfb4', '#aed09c', '#86b883', '#b06fc4'),
    scheme('#4fa3b5', '#ffe9a8', '#3f8f7a', '#347d68', '#2b6b58', '#ffb3c1'),
    scheme('#5a66b0', '#ffe9a8', '#43588f', '#3a6a7c', '#2f5a66', '#ffd166'),
  ],
  back({ sky, far, mid, near, glow, detail }, { chance }) {
    const farFlowers = scatter(chance, 'far flowers', 7, [10, 366, 502, 410], blossom)
    return [
      drawBackdrop(sky),
      drawCloud(chance.between('cloud x', 60, 200), chance.between('cloud y', 70, 120), 54, '#ffffff', 0.7),
      drawCloud(chance.between('cloud 2 x', 330, 450), chance.between('cloud 2 y', 60, 140), 42, '#ffffff', 0.7),
      drawHill(chance, 'far', 290, 16, far),
      drawHill(chance, 'mid', 345, 12, mid),
      line(farFlowers, detail, 15) + line(farFlowers, glow, 6),
      line(scatter(chance, 'pale flowers', 7, [10, 366, 502, 410], blossom), CREAM, 12),
      drawHill(chance, 'near', 425, 8, near),
    ].join('')
  },
  front: ({ near, detail, glow, mid }, { chance }) =>
    drawGrass(chance, mid) +
    scatter(chance, 'near flowers', 8, [14, 466, 498, 500], (x, y, random) =>
      flower(
        x,
        y,
        13 + random() * 5,
        random() < 0.5 ? detail : random() < 0.5 ? CREAM : glow,
        random() < 0.5 ? glow : near,
      ),
    ),
}
