import { type Colour, darken, lighten, SHADOW } from '../colour.ts'
import { parsePoints, ribbon, smoothOutline } from '../curves.ts'
import type { Chance } from '../random.ts'
import { circle, ellipse, line, opacity, path, place, rect, svg } from '../svg.ts'
import { drawBackdrop, drawHill, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const lightBeams = (fill: Colour, chance: Chance) => {
  const x = chance.between('beams', 40, 200)
  const rays = [0, 130, 250].map((dx, i) =>
    path(svg`M${x + dx}-10h${50 + i * 14}L${x + dx - 60} 512h-${110 + i * 20}Z`, fill),
  )
  return `<g ${opacity(0.16)}>${rays.join('')}</g>`
}

const sand = (fill: Colour, chance: Chance) => {
  const [a, b] = [chance.between('sand a', 446, 470), chance.between('sand b', 450, 474)]
  return path(svg`M0 ${a}C120 ${a - 24} 200 ${b + 14} 300 ${b}S450 ${a - 12} 512 ${a}V512H0Z`, fill)
}

const pebbles = (fill: Colour, chance: Chance) =>
  scatter(chance, 'pebbles', 8, [10, 484, 500, 506], (x, y, random) =>
    ellipse(x, y, 8 + random() * 9, 6 + random() * 4, random() < 0.5 ? darken(fill, 0.2) : lighten(fill, 0.5)),
  )

const risingBubbles = (fill: Colour, chance: Chance) =>
  scatter(chance, 'bubbles', 9, [20, 20, 490, 430], (x, y, random) => {
    const r = 4 + random() * 8
    return circle(x, y, r, fill, `fill-opacity=".25" stroke="${fill}" stroke-width="2.5" stroke-opacity=".6"`)
  })

function kelp(x: number, y: number, height: number, fill: Colour, random: () => number) {
  const sway = 20 + random() * 26
  const lean = random() < 0.5 ? -1 : 1
  return path(
    ribbon(
      [
        [x, y],
        [x + sway * lean, y - height * 0.33],
        [x - sway * lean, y - height * 0.66],
        [x + sway * 0.6 * lean, y - height],
      ],
      (t) => 5 + 12 * Math.sin((0.1 + t * 0.85) * Math.PI),
    ),
    fill,
  )
}

const coral = (x: number, y: number, scale: number, fill: Colour, shape: 'branch' | 'fan') =>
  place(
    { x, y, scale },
    shape === 'branch'
      ? line('M0 0V-70M0-24Q-34-30-34-66M0-40Q30-46 30-90M-34-48Q-50-52-52-74M30-66Q46-70 48-88', fill, 15)
      : path(smoothOutline(parsePoints('-10,4 -54,-40 -44,-92 0,-108 46,-92 54,-40 10,4')), fill) +
          line('M0-8V-84M0-30L-28-62M0-30L28-62M0-54L-14-82M0-54L14-82', darken(fill, 0.22), 5),
  )

/** Shared by all water scenes. */
const waterSchemes = [
  scheme('#bfe9ee', '#ffffff', '#a3dde4', '#a3dde4', '#f3dfae', '#ff8f7a'),
  scheme('#8fd3e8', '#ffffff', '#78c5df', '#78c5df', '#f0d9a0', '#f2709c'),
  scheme('#3a8fb7', '#d9f6ff', '#2f7fa6', '#2f7fa6', '#d9bd86', '#ff9f6b'),
  scheme('#2f6f8f', '#c9f0ff', '#28617f', '#28617f', '#b79f7a', '#ffcf5c'),
  scheme('#2b4a86', '#bcd6ff', '#254178', '#254178', '#8a86a8', '#f58ab0'),
  scheme('#c6ecd9', '#ffffff', '#aee0c9', '#aee0c9', '#f3e0b5', '#f2795f'),
  scheme('#2f8a83', '#c9fff0', '#287a74', '#287a74', '#cdbb86', '#ffb86b'),
] as const

const reef: Scene = {
  phrase: 'over a coral reef',
  schemes: waterSchemes,
  back: ({ sky, glow, far, near, detail }, sketch) =>
    [
      drawBackdrop(sky),
      lightBeams(glow, sketch.chance),
      drawHill(sketch.chance, 'far', 380, 26, far),
      coral(70, 470, 1.2, detail, 'branch') +
        coral(452, 474, 1.3, '#f2a65a', 'fan') +
        coral(150, 486, 0.7, '#b58ae0', 'fan') +
        coral(380, 490, 0.8, detail, 'branch'),
      sand(near, sketch.chance),
      pebbles(near, sketch.chance),
      risingBubbles(glow, sketch.chance),
    ].join(''),
}

const weeds: Scene = {
  phrase: 'among waving weeds',
  schemes: waterSchemes,
  back: ({ sky, glow, far, near }, sketch) =>
    [
      drawBackdrop(sky),
      lightBeams(glow, sketch.chance),
      scatter(sketch.chance, 'far weeds', 7, [0, 500, 512, 501], (x, _, random) =>
        kelp(x, 480, 190 + random() * 130, far, random),
      ),
      scatter(sketch.chance, 'weeds', 6, [0, 500, 512, 501], (x, _, random) =>
        x > 150 && x < 370
          ? kelp(x, 490, 80, '#5fb38a', random)
          : kelp(x, 490, 190 + random() * 140, random() < 0.5 ? '#4fa37c' : '#79bf6f', random),
      ),
      sand(near, sketch.chance),
      pebbles(near, sketch.chance),
      risingBubbles(glow, sketch.chance),
    ].join(''),
}

const castle: Scene = {
  phrase: 'by a sunken castle',
  schemes: waterSchemes,
  back({ sky, glow, far, near, detail }, sketch) {
    const x = sketch.chance.pick('castle x', [70, 330])
    const tower = (tx: number, top: number, width: number) =>
      rect(tx, top, width, 200, '#b9a7c9', 4) +
      path(
        svg`M${tx - 8} ${top + 4}L${tx + width / 2} ${top - 50}L${tx + width + 8} ${top + 4}Z`,
        detail,
        `stroke="${detail}" stroke-width="6"`,
      ) +
      rect(tx + width / 2 - 8, top + 26, 16, 28, '#6d5a86', 8)
    return [
      drawBackdrop(sky),
      lightBeams(glow, sketch.chance),
      drawHill(sketch.chance, 'far', 400, 18, far),
      `<g ${opacity(0.85)}>${tower(x, 300, 44)}${tower(x + 74, 330, 44)}${rect(x + 30, 370, 60, 120, '#a593b8')}${path(`M${x + 44} 470v-30a16 16 0 0 1 32 0v30z`, '#6d5a86')}</g>`,
      kelp(512 - x - 20, 480, 170, '#4fa37c', sketch.chance.sequence('weed')) +
        kelp(512 - x + 16, 480, 110, '#79bf6f', sketch.chance.sequence('weed 2')),
      sand(near, sketch.chance),
      pebbles(near, sketch.chance),
      risingBubbles(glow, sketch.chance),
    ].join('')
  },
}

const open: Scene = {
  phrase: 'in the open sea',
  schemes: waterSchemes,
  back: ({ sky, glow, far }, sketch) =>
    [
      drawBackdrop(sky),
      path('M0 0H512V40q-32 22-64 0t-64 0-64 0-64 0-64 0-64 0-64 0-64 0Z', glow, opacity(0.5)),
      lightBeams(glow, sketch.chance),
      path(
        scatter(
          sketch.chance,
          'shoal',
          7,
          [20, 90, 490, 440],
          (x, y) => svg`M${x} ${y}q14-14 30 0l10-8v16l-10-8q-16 14-30 0z`,
        ),
        far,
      ),
      drawHill(sketch.chance, 'deep', 450, 14, far),
      risingBubbles(glow, sketch.chance),
    ].join(''),
}

const pond: Scene = {
  phrase: 'in a lily pond',
  schemes: waterSchemes,
  back: ({ sky, glow, detail }, sketch) =>
    [
      drawBackdrop(sky),
      scatter(sketch.chance, 'ripples', 5, [40, 60, 470, 460], (x, y, random) =>
        ellipse(
          x,
          y,
          50 + random() * 40,
          18 + random() * 10,
          'none',
          0,
          `stroke="${glow}" stroke-width="4" ${opacity(0.5)}`,
        ),
      ),
      scatter(sketch.chance, 'pads', 6, [30, 30, 490, 490], (x, y, random) => {
        const [px, py] = y > 150 && y < 370 ? [x < 256 ? 20 : 492, y] : [x, y < 200 ? 30 : 486]
        const r = 40 + random() * 24
        const bloom =
          random() < 0.5
            ? [0, 72, 144, 216, 288]
                .map(
                  (turn) => svg`<g transform="rotate(${turn} ${px} ${py})">${ellipse(px, py - 13, 8, 14, detail)}</g>`,
                )
                .join('') + circle(px, py, 7, '#ffe08a')
            : ''
        return (
          path(
            svg`M${px} ${py}L${px + r * 0.954} ${py - r * 0.3}A${r} ${r} 0 1 0 ${px + r * 0.954} ${py + r * 0.3}Z`,
            random() < 0.5 ? '#5fae7c' : '#79c08a',
          ) + bloom
        )
      }),
      line(
        scatter(sketch.chance, 'glints', 8, [20, 30, 480, 480], (x, y) => svg`M${x} ${y}h24`),
        glow,
        4,
        opacity(0.5),
      ),
    ].join(''),
}

const bowl: Scene = {
  phrase: 'in a glass bowl',
  schemes: waterSchemes.map((colours, i) => ({
    ...colours,
    glow: ['#fbe3d0', '#e3dcf2', '#fff0c2', '#f7c9b8', '#f3d3e0', '#ffe3d3', '#ffd98e'][i]!,
  })),
  back: ({ sky, glow, far, near, detail }, sketch) =>
    [
      drawBackdrop(glow),
      rect(0, 440, 512, 72, detail, 0, opacity(0.55)),
      ellipse(256, 486, 170, 16, SHADOW, 0, opacity(0.2)),
      circle(256, 262, 226, '#ffffff', opacity(0.45)),
      sketch.clip(
        'M256 48A214 214 0 1 0 256.1 48Z',
        rect(0, 100, 512, 412, sky),
        ellipse(256, 100, 190, 16, far),
        kelp(110, 470, 170, '#5fb38a', sketch.chance.sequence('weed')),
        kelp(404, 470, 130, '#79bf6f', sketch.chance.sequence('weed 2')),
        ellipse(256, 474, 200, 50, near),
        pebbles(near, sketch.chance),
        risingBubbles('#ffffff', sketch.chance),
      ),
      ellipse(256, 52, 116, 14, 'none', 0, `stroke="#ffffff" stroke-width="9" ${opacity(0.9)}`),
    ].join(''),
  front: () => line('M84 200Q100 140 148 104M76 236l0 6', '#ffffff', 12, opacity(0.6)),
}

export const waterScenes = { reef, weeds, castle, open, pond, bowl }
