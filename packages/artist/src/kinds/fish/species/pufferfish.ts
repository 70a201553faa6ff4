import { darken } from '../../../colour.ts'
import { ellipsePath, star } from '../../../curves.ts'
import { line, opacity, path, place } from '../../../svg.ts'
import { drawHat } from '../accessories.ts'
import { drawCheek, drawFrontEyes, drawFrontMouth } from '../face.ts'
import { patch, spots } from '../markings.ts'
import { defineFigure } from './define.ts'

export const pufferfish = defineFigure({
  name: 'pufferfish',
  water: ['sea', 'reef', 'tank'],
  wears: ['none', 'head'],
  varieties: {
    yellow: ['#ffcf4a', '#a86f32', '#ffb23c', '#f2a235', '#fff6dc'],
    brown: ['#b58a5f', '#7a5338', '#cfa26f', '#96704a', '#fff3dc'],
    blue: ['#6aa3e0', '#345f9c', '#4f88cc', '#4a80c4', '#f0f7fd'],
    green: ['#93c06a', '#557f40', '#78aa55', '#6f9f50', '#f8f9dc'],
    pink: ['#f79ab0', '#b5567c', '#f07f9c', '#e57894', '#fff3f0'],
    purple: ['#9f84d9', '#6246a0', '#8768c6', '#8265c0', '#f5f0fc'],
  },
  markings: [
    ['dark spots', ({ marks }, random) => spots([-104, -100, 104, -46], 6, 2, 9, marks, random)],
    [
      'dark stripes',
      ({ marks }) =>
        line(
          'M-84-90Q-70-74-78-52M-44-112Q-38-84-44-64M-6-116Q0-90-6-68M32-112Q30-84 32-64M72-96Q64-76 70-54',
          marks,
          10,
        ),
    ],
    ['a dark patch on its back', ({ marks }, random) => patch(0, -96, 62, 34, marks, random)],
  ],
  draw({ colours, mood, iris, worn, bend, sketch }, drawMarkings) {
    const { body, fins, trim, belly: pale } = colours
    const [fin, finReference] = sketch.reusable(
      sketch.shadedShape(
        'M0-16C20-44 56-42 62-14C68 14 44 36 0 16Z',
        fins,
        line('M16-8L46-20M18 0H52M16 8L44 16', darken(fins, 0.3), 4, opacity(0.5)),
        4,
      ),
    )
    const outline = ellipsePath(0, 0, 116, 108)
    return {
      art: [
        place(
          { x: 104, y: -12, turn: -14 + bend * 0.4, scale: 0.95 },
          sketch.shadedShape('M-10-14C20-44 56-48 62-34C54-10 56 12 62 36C52 48 20 42-10 16Z', fins, '', 5),
        ),
        path(star(0, 0, 134, 100, 24), trim, `stroke="${trim}" stroke-width="4"`),
        place({ x: 92, y: 40, turn: 22 }, fin),
        sketch.shadedShape(
          outline,
          body,
          drawMarkings(colours, sketch.chance.sequence('markings')) +
            path('M-140 8Q-70 34-14 24T140 4V140H-140Z', pale) +
            line('M-66 64l6 10 6-10M-14 76l6 10 6-10M38 64l6 10 6-10', darken(pale, 0.2), 4),
          12,
        ),
        place({ x: -90, y: 42, turn: 150 }, finReference),
        drawCheek(-82, 22, 16, body) + drawCheek(58, 22, 16, body),
        drawFrontMouth(mood, -14, 28, pale, 0.95),
        drawFrontEyes(-14, -18, 27, 46, mood, { skin: body, iris }, sketch),
        place({ x: -6, y: -104, turn: -3 }, drawHat(worn, body)),
      ].join(''),
      box: [-150, worn.accessory === 'none' ? -136 : -168, 170, 136],
    }
  },
})
