import { darken, INK, lighten, lineColourOn } from '../../../colour.ts'
import { parseCurve, parsePoints, ribbon, smoothOutline } from '../../../curves.ts'
import { ellipse, line, opacity, path } from '../../../svg.ts'
import { drawGlasses } from '../accessories.ts'
import { drawCheek, drawSideEye } from '../face.ts'
import { spots } from '../markings.ts'
import { defineFigure } from './define.ts'

const SEAHORSE = parsePoints(
  '-105,-100 -90,-110 -60,-115 -50,-150 -8,-175 35,-160 50,-115 45,-75 60,-40 70,10 55,55 35,95 4,98 -30,70 -55,25 -50,-20 -30,-60 -25,-75 -55,-80 -90,-90 -105,-95',
)

export const seahorse = defineFigure({
  water: ['reef', 'sea', 'tank'],
  wears: ['none'],
  varieties: {
    yellow: ['#fc5', '#e94', '#fb4', '#e83', '#feb'],
    orange: ['#f94', '#d63', '#fa6', '#c53', '#fc9'],
    pink: ['#e9a', '#d68', '#fbc', '#c57', '#fdd'],
    teal: ['#5ba', '#388', '#7cc', '#277', '#ced'],
  },
  markings: [
    ['a pale belly', () => ''],
    ['little spots', ({ marks }, random) => spots([-10, -60, 70, 80], 3, 5, 6, marks, random)],
    [
      'stripes on its back',
      ({ marks }) => line('M70-70L30-60M80-40L35-30M80-10L35-4M80 20L35 20M70 50L30 50', marks, 9),
    ],
  ],
  draw({ colours, mood, iris, worn, sketch }, drawMarkings) {
    const { body, fins, trim, belly: pale } = colours
    const tail = [
      ribbon(parseCurve('18,70 45,120 40,180 -6,185'), (t) => 27 - 13 * t),
      ribbon(parseCurve('-4,185 -50,190 -65,140 -30,130'), (t) => 14 - 7 * t),
    ]
    const rings = 'M40 100L14 110M45 125L16 130M40 150L14 145'
    return {
      art: [
        sketch.shadedShape(
          'M45-35C85-70 105-55 110-20C110 14 95 35 55 35Z',
          fins,
          line('M60-25L90-40M65-8L98-14M65 10L95 12', darken(fins, 0.3), 4, opacity(0.5)),
          5,
        ),
        path('M-35-150Q-40-190-20-190Q-10-190-8-175Q-6-205 10-200Q25-200 20-175Q30-195 45-180Q50-170 35-150Z', trim),
        path(tail[1]!, darken(body, 0.08)) + sketch.shadedShape(tail[0]!, body, line(rings, darken(body, 0.2), 5), 5),
        sketch.shadedShape(
          smoothOutline(SEAHORSE),
          body,
          ellipse(-34, 20, 38, 75, pale) +
            line(
              'M-60-20Q-30-8-10-16M-60 4Q-30 16-4 8M-60 30Q-30 40 0 30M-50 55Q-20 65 8 55M-30 80Q-4 90 20 80',
              darken(pale, 0.22),
              5,
            ) +
            drawMarkings(colours, sketch.chance.sequence('markings')),
          8,
        ),
        path(
          'M30-80Q60-90 60-70Q55-50 35-60Z',
          lighten(fins, 0.15),
          `stroke="${darken(fins, 0.3)}" stroke-width="3" stroke-opacity=".4"`,
        ),
        drawCheek(-16, -85, 14, body),
        line(mood === 'grumpy' ? 'M-100-90Q-90-100-75-95' : 'M-100-95Q-90-85-70-90', lineColourOn(body), 5),
        mood === 'surprised' || mood === 'cheerful' || mood === 'dazzled' ? ellipse(-95, -95, 6, 7, INK) : '',
        drawSideEye(-4, -120, 27, mood, { skin: body, iris }, sketch),
        drawGlasses(worn, body, -4, -120, 27),
      ].join(''),
      box: [-110, -210, 115, 205],
    }
  },
})
