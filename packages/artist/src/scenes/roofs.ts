import { INK } from '../colour.ts'
import { circle, opacity, path, rect, svg } from '../svg.ts'
import { drawBackdrop, drawInSky, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const house = (x: number, top: number, width: number, wall: string, windowColour: string, random: () => number) => {
  const roof =
    random() < 0.5
      ? path(
          svg`M${x - 5} ${top + 2}L${x + width / 2} ${top - width * 0.45}L${x + width + 5} ${top + 2}Z`,
          wall,
          `stroke="${wall}" stroke-width="6"`,
        )
      : rect(x + width * 0.6, top - 26, width * 0.22, 40, wall, 3)
  const windows = [0, 1, 2].flatMap((row) =>
    [0.18, 0.6].map((at) =>
      random() < 0.6 ? svg`M${x + width * at} ${top + 22 + row * 44}h${width * 0.22}v24h${-width * 0.22}Z` : '',
    ),
  )
  return rect(x, top, width, 512, wall, 4) + roof + path(windows.join(''), windowColour)
}

export const roofs: Scene = {
  phrase: 'in front of a city',
  tags: ['city', 'houses', 'outdoors'],
  schemes: [
    scheme('#fca', '#fec', '#ea8', '#d88', '#a55', '#fea'),
    scheme('#cde', '#fff', '#acd', '#8bc', '#c75', '#fed'),
    scheme('#347', '#feb', '#458', '#236', '#647', '#fc6'),
    scheme('#fdb', '#fff', '#ec9', '#da7', '#b65', '#ffe'),
    scheme('#478', '#fda', '#589', '#377', '#745', '#fd8'),
    scheme('#857', '#fda', '#968', '#746', '#435', '#fc7'),
  ],
  back({ sky, glow, far, mid, near, detail }, { chance }, occupied) {
    const random = chance.sequence('houses')
    const street = (name: string, fill: string, low: number, high: number, count: number) => {
      const width = 512 / count
      return Array.from({ length: count }, (_, i) =>
        house(i * width + 3, chance.between(`${name} ${i}`, low, high), width - 6, fill, detail, random),
      ).join('')
    }
    const tiles = path(
      scatter(chance, 'tiles', 14, [10, 450, 500, 510], (x, y) => svg`M${x} ${y}q11 14 22 0z`),
      INK,
      opacity(0.14),
    )
    return [
      drawBackdrop(sky),
      drawInSky(occupied, [chance.pick('disc x', [110, 400]), chance.between('disc y', 60, 76)], 50, (x, y) =>
        circle(x, y, 40, glow),
      ),
      street('far', far, 170, 260, 6),
      street('mid', mid, 270, 350, 5),
      path('M-10 430Q256 410 520 430V520H-10Z', near),
      path('M-10 430Q256 410 520 430V450Q256 420-10 450Z', '#fff', opacity(0.22)),
      tiles,
    ].join('')
  },
}
