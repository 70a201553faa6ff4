import { CREAM } from '../colour.ts'
import { circle, ellipse, line, opacity, path, place, rect, svg } from '../svg.ts'
import { drawBackdrop, drawGround } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const plant = (x: number, leaf: string, pot: string) =>
  place(
    { x, y: 420 },
    path(
      'M0-60C-10-120-60-130-65-100C-50-70-20-60 0-60ZM0-60C0-140 40-170 55-140C55-100 30-70 0-60ZM0-60C20-100 70-95 70-70C50-50 20-50 0-60Z',
      leaf,
    ),
    path('M-35-65H35L25-4Q25 2 18 2H-18Q-25 2-25-4Z', pot),
  )

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
  back({ sky, glow, far, near, detail }, { chance }) {
    const stripes = Array.from({ length: 8 }, (_, i) => rect(i * 65 + 8, 0, 30, 512, far)).join('')
    const dots = Array.from({ length: 30 }, (_, i) =>
      circle((i % 6) * 90 + (Math.floor(i / 6) % 2) * 45 + 6, Math.floor(i / 6) * 85 + 30, 9, far),
    ).join('')
    const side = chance.pick('plant side', [70, 440])
    const frame = side === 70 ? 460 : 55
    return [
      drawBackdrop(sky),
      chance.choose('wallpaper', { stripes: 1, dots: 1 }) === 'dots' ? dots : stripes,
      rect(frame - 40, 28, 80, 65, CREAM, 6),
      rect(frame - 31, 37, 60, 50, glow, 3),
      path(svg`M${frame - 31} 85l21-29 15 17 12-12 14 24z`, detail),
      drawGround(410, near),
      rect(0, 400, 512, 12, glow),
      ellipse(256, 460, 220, 40, detail),
      ellipse(256, 460, 180, 31, glow, 0),
      line('M90 460a160 30 0 0 0 330 0', detail, 5, opacity(0.6)),
      plant(side, '#597', detail),
    ].join('')
  },
}
