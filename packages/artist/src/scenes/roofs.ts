import { INK } from '../colour.ts'
import { circle, opacity, path, rect, svg } from '../svg.ts'
import { drawBackdrop, scatter } from './parts.ts'
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
  phrase: 'above the roofs of a city',
  tags: ['city', 'houses', 'outdoors'],
  schemes: [
    scheme('#ffcfae', '#fff0cf', '#f2a88f', '#dd8b80', '#a8525c', '#ffe9a8'),
    scheme('#c5e3f0', '#ffffff', '#a3cbe0', '#86b3cf', '#cf6f5a', '#fff6d8'),
    scheme('#33406f', '#ffeeb8', '#41508a', '#2a3560', '#6d4b78', '#ffd166'),
    scheme('#f7e3b5', '#ffffff', '#e9cd92', '#d6b27a', '#b8654f', '#fff9e6'),
    scheme('#3f7f8f', '#ffe3b0', '#4f909f', '#35707f', '#7a4a50', '#ffe08a'),
    scheme('#8a4f78', '#ffd9a8', '#9c5f88', '#74406a', '#4a2f55', '#ffcf7a'),
  ],
  back({ sky, glow, far, mid, near, detail }, { chance }) {
    const random = chance.sequence('houses')
    const street = (name: string, fill: string, low: number, high: number, count: number) => {
      const width = 512 / count
      return Array.from({ length: count }, (_, i) =>
        house(i * width + 3, chance.between(`${name} ${i}`, low, high), width - 6, fill, detail, random),
      ).join('')
    }
    const tiles = path(
      scatter(chance, 'tiles', 14, [10, 446, 500, 506], (x, y) => svg`M${x} ${y}q11 14 22 0z`),
      INK,
      opacity(0.14),
    )
    return [
      drawBackdrop(sky),
      circle(chance.pick('disc x', [110, 400]), chance.between('disc y', 80, 120), 40, glow),
      street('far', far, 170, 260, 6),
      street('mid', mid, 270, 350, 5),
      path('M-10 432Q256 408 522 432V520H-10Z', near),
      path('M-10 432Q256 408 522 432V446Q256 422-10 446Z', '#ffffff', opacity(0.22)),
      tiles,
    ].join('')
  },
}
