import { darken, INK, lighten, lineColourOn } from '../../../colour.ts'
import { parseCurve, parsePoints, ribbon, smoothOutline } from '../../../curves.ts'
import { ellipse, line, opacity, path } from '../../../svg.ts'
import { drawGlasses } from '../accessories.ts'
import { drawCheek, drawSideEye } from '../face.ts'
import { spots } from '../markings.ts'
import { defineFigure } from './define.ts'

const SEAHORSE = parsePoints(
  '-106,-102 -92,-112 -62,-116 -52,-152 -8,-176 36,-160 52,-116 46,-74 62,-38 70,10 56,56 36,96 4,98 -30,72 -54,26 -50,-22 -30,-58 -26,-76 -56,-82 -92,-88 -106,-94',
)

export const seahorse = defineFigure({
  name: 'seahorse',
  water: ['reef', 'sea', 'tank'],
  wears: ['none', 'eye'],
  varieties: {
    yellow: ['#ffcf4f', '#f2983c', '#ffb33f', '#e88a34', '#fff0b8'],
    orange: ['#f7914a', '#d9622f', '#fbb068', '#c9552c', '#ffd3a0'],
    pink: ['#f593ad', '#d9608c', '#fab5c4', '#c94f7d', '#ffdbe2'],
    purple: ['#9d80d6', '#7350b5', '#b99fe8', '#65449f', '#ddcff7'],
    teal: ['#52b5ab', '#2f8a86', '#7ed0c4', '#2a7a78', '#c6efe4'],
    white: ['#faf4ec', '#e09a7a', '#f7d9c6', '#d98a6c', '#ffffff'],
  },
  markings: [
    ['a pale belly', () => ''],
    ['little spots', ({ marks }, random) => spots([-10, -60, 70, 80], 3, 5, 6, marks, random)],
    [
      'stripes on its back',
      ({ marks }) => line('M70-70L30-58M80-40L34-30M80-10L36-4M80 20L34 22M70 52L28 48', marks, 9),
    ],
  ],
  draw({ colours, mood, iris, worn, sketch }, drawMarkings) {
    const { body, fins, trim, belly: pale } = colours
    const tail = [
      ribbon(parseCurve('18,70 46,120 40,178 -6,184'), (t) => 27 - 13 * t),
      ribbon(parseCurve('-4,184 -52,188 -64,138 -30,132'), (t) => 14 - 7 * t),
    ]
    const rings = 'M40 100L14 110M44 124L16 128M40 150L14 144'
    return {
      art: [
        sketch.shadedShape(
          'M46-36C84-70 106-54 108-20C110 14 96 34 56 36Z',
          fins,
          line('M62-26L92-38M64-8L98-14M66 10L96 12', darken(fins, 0.3), 4, opacity(0.5)),
          5,
        ),
        path('M-34-150Q-38-188-20-190Q-10-190-8-176Q-6-204 10-202Q24-200 20-174Q32-194 44-182Q52-170 34-148Z', trim),
        path(tail[1]!, darken(body, 0.08)) + sketch.shadedShape(tail[0]!, body, line(rings, darken(body, 0.2), 5), 5),
        sketch.shadedShape(
          smoothOutline(SEAHORSE),
          body,
          ellipse(-34, 20, 38, 74, pale) +
            line(
              'M-60-20Q-30-8-10-16M-60 4Q-30 16-4 8M-60 28Q-28 42 0 32M-50 54Q-20 66 8 56M-30 80Q-4 90 20 78',
              darken(pale, 0.22),
              5,
            ) +
            drawMarkings(colours, sketch.chance.sequence('markings')),
          8,
        ),
        path(
          'M32-82Q58-90 62-70Q56-52 34-60Z',
          lighten(fins, 0.15),
          `stroke="${darken(fins, 0.3)}" stroke-width="3" stroke-opacity=".4"`,
        ),
        drawCheek(-16, -84, 14, body),
        line(mood === 'grumpy' ? 'M-100-90Q-90-100-74-95' : 'M-102-96Q-90-85-70-92', lineColourOn(body), 5),
        mood === 'surprised' || mood === 'cheerful' || mood === 'dazzled' ? ellipse(-96, -94, 6, 7, INK) : '',
        drawSideEye(-4, -122, 27, mood, { skin: body, iris }, sketch),
        drawGlasses(worn, body, -4, -122, 27),
      ].join(''),
      box: [-112, -208, 114, 206],
    }
  },
})
