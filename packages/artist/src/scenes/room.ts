import { CREAM } from '../colour.ts'
import { circle, ellipse, line, opacity, path, place, rect, svg } from '../svg.ts'
import { drawBackdrop, drawGround, findFreePlace } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const plant = (x: number, scale: number, leaf: string, pot: string) =>
  place(
    { x, y: 420, scale },
    path(
      'M0-60C-10-120-60-130-65-100C-50-70-20-60 0-60ZM0-60C0-140 40-170 55-140C55-100 30-70 0-60ZM0-60C20-100 70-95 70-70C50-50 20-50 0-60Z',
      leaf,
    ),
    path('M-35-65H35L25-4Q25 2 18 2H-18Q-25 2-25-4Z', pot),
  )

const drawPicture = (x: number, sky: string, hills: string) =>
  rect(x - 40, 28, 80, 66, CREAM, 6) +
  rect(x - 31, 37, 62, 48, sky, 3) +
  path(svg`M${x - 31} 85l21-29 15 17 12-12 14 24z`, hills)

export const room: Scene = {
  phrase: 'in a cosy room',
  tags: ['indoors', 'home'],
  schemes: [
    scheme('#fdc', '#fed', '#fcb', '#fcb', '#d97', '#698'),
    scheme('#ded', '#efe', '#bdc', '#bdc', '#8a9', '#e86'),
    scheme('#dde', '#eef', '#cce', '#cce', '#a8c', '#eb5'),
    scheme('#478', '#599', '#377', '#377', '#b86', '#fc6'),
    scheme('#357', '#579', '#357', '#357', '#976', '#eb6'),
    scheme('#da5', '#ec8', '#da4', '#da4', '#a74', '#488'),
    scheme('#796', '#9b8', '#686', '#686', '#a75', '#e97'),
    scheme('#c65', '#d77', '#b55', '#b55', '#745', '#8cb'),
  ],
  back({ sky, glow, far, near, detail }, { chance }, occupied) {
    const stripes = Array.from({ length: 8 }, (_, i) => rect(i * 66 + 8, 0, 30, 512, far)).join('')
    const dots = Array.from({ length: 30 }, (_, i) =>
      circle((i % 6) * 90 + (Math.floor(i / 6) % 2) * 45 + 6, Math.floor(i / 6) * 85 + 30, 9, far),
    ).join('')
    const side = chance.pick('plant side', [70, 442])
    const frameX = side === 70 ? 456 : 56
    const frame = findFreePlace(
      occupied,
      [
        [frameX, 61],
        [512 - frameX, 61],
        [256, 61],
        [330, 61],
        [182, 61],
      ],
      42,
    )?.[0]
    const size = [1, 0.7].find((scale) => findFreePlace(occupied, [[side, 420 - 74 * scale]], 74 * scale))
    return [
      drawBackdrop(sky),
      chance.choose('wallpaper', { stripes: 1, dots: 1 }) === 'dots' ? dots : stripes,
      frame ? drawPicture(frame, glow, detail) : '',
      drawGround(410, near),
      rect(0, 400, 512, 12, glow),
      ellipse(256, 460, 220, 40, detail),
      ellipse(256, 460, 180, 31, glow, 0),
      line('M90 460a160 30 0 0 0 330 0', detail, 5, opacity(0.6)),
      size ? plant(side, size, '#597', detail) : '',
    ].join('')
  },
}
