import { drawBackdrop, drawCloud, drawHill, drawSun, drawTree, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

export const hills: Scene = {
  phrase: 'among rolling hills',
  tags: ['summer', 'landscape', 'outdoors'],
  schemes: [
    scheme('#c9e9f5', '#fff4cf', '#b5dfb4', '#93cd97', '#6fb57e', '#3f8f6a'),
    scheme('#ffe0cf', '#fff3d6', '#f6bfa6', '#e99f8c', '#cf7d78', '#a85a68'),
    scheme('#fdf0d0', '#ffd877', '#d9dc95', '#b9c877', '#93ad5f', '#5f8a50'),
    scheme('#7cc0c9', '#fff0c0', '#569fa3', '#438a8c', '#357476', '#27595f'),
    scheme('#e58b72', '#ffe3b0', '#b9606a', '#9a4d63', '#7a3d58', '#5a2f4a'),
    scheme('#4f6fb0', '#ffe6b8', '#3f5b98', '#344d84', '#2b4070', '#223358'),
  ],
  back({ sky, glow, far, mid, near, detail }, { chance }) {
    const x = chance.pick('sun x', [86, 420])
    return [
      drawBackdrop(sky),
      drawSun(x, chance.between('sun y', 74, 120), chance.between('sun r', 34, 48), glow),
      drawCloud(chance.between('cloud x', 150, 340), chance.between('cloud y', 54, 90), 50, '#ffffff', 0.75),
      drawCloud(512 - x + 20, chance.between('cloud 2 y', 120, 170), 36, '#ffffff', 0.6),
      drawHill(chance, 'far', 270, 26, far),
      drawHill(chance, 'mid', 340, 24, mid),
      scatter(chance, 'trees', 5, [10, 330, 500, 390], (tx, y, random) =>
        tx > 150 && tx < 360 ? '' : drawTree(tx, y, 0.5 + random() * 0.35, detail, near),
      ),
      drawHill(chance, 'near', 405, 12, near),
    ].join('')
  },
}
