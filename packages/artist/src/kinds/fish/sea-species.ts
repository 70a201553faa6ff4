import { darken, INK, lighten, lineColourOn } from '../../colour.ts'
import { ellipsePath, mirrorPoints, parseCurve, parsePoints, ribbon, smoothOutline, star } from '../../curves.ts'
import { bothSides, circle, ellipse, line, opacity, path, place } from '../../svg.ts'
import { drawBowTie, drawGlasses, drawHat } from './accessories.ts'
import { drawCheek, drawFrontEyes, drawFrontMouth, drawSideEye, drawSideMouth } from './face.ts'
import { bands, belly, patch, spots, stripes } from './markings.ts'
import { defineFigure, defineSpecies } from './species.ts'

export const shark = defineSpecies({
  name: 'shark',
  water: ['sea', 'reef', 'deep'],
  varieties: {
    grey: ['#8796ab', '#5f6f88', '#75859c', '#5f6f88', '#f4f6f8'],
    blue: ['#5b8fd0', '#3a66a8', '#4a7dc0', '#3a66a8', '#eef5fb'],
    sand: ['#d9b585', '#8f6a4a', '#c9a070', '#8f6a4a', '#fff6e6'],
    slate: ['#5f6480', '#8f95b0', '#51566f', '#3f4460', '#dfe2ec'],
    teal: ['#4f9f9f', '#2f7478', '#418c8e', '#2f7478', '#e6f5f0'],
    pink: ['#ef9aa8', '#c4607f', '#e5828f', '#c4607f', '#fff0f0'],
  },
  markings: [
    ['a white belly', ({ belly: pale }) => belly(pale, 8)],
    [
      'leopard spots',
      ({ marks, belly: pale }, random) => spots([-56, -50, 130, 16], 6, 3, 9, marks, random) + belly(pale, 14),
    ],
    [
      'tiger stripes',
      ({ marks, belly: pale }) =>
        path('M-34-70l10 56 10-56zM-4-70l11 62 11-62zM30-70l11 60 11-60zM66-60l9 48 9-48zM100-50l7 38 7-38z', marks) +
        belly(pale, 14),
    ],
  ],
  shape: {
    body: '-160,8 -136,-26 -78,-54 0,-60 80,-40 138,-14 140,10 84,36 0,58 -78,62 -138,40',
    tail: ['122,-8 152,-46 192,-96 204,-94 196,-50 180,-6 196,40 186,52 152,34 122,14'],
    fins: [
      '-14,-48 -4,-100 34,-134 46,-130 46,-90 66,-38',
      '62,34 76,64 100,72 104,50 100,22',
      '-50,48 -34,96 2,124 16,120 14,84 6,46',
    ],
    pectoral: [10, 24, 0.01],
    eye: [-98, -10, 20],
    mouth: [-146, 26],
    mouthScale: 1.1,
    mouthSkin: ({ belly: pale }) => pale,
    gill: -40,
    hat: [-76, -54, -12],
    throat: [-96, 60],
    front: ({ colours: { body } }) =>
      line('M-52-16q10 16 2 36M-38-16q10 16 2 36', darken(body, 0.35), 4, opacity(0.5)) +
      path('M-138 29l4 10 7-6zM-122 36l6 9 6-8z', '#ffffff'),
  },
})

export const sailfish = defineSpecies({
  name: 'sailfish',
  water: ['sea'],
  varieties: {
    blue: ['#4a78c9', '#b8dcf7', '#3a5fb0', '#2a4488', '#e2eef8'],
    teal: ['#3f9aa8', '#c4f0e6', '#2f7f94', '#205f74', '#e0f4f0'],
    silver: ['#a9b8ca', '#5f7698', '#6f86a8', '#4a5f80', '#f0f4f8'],
    purple: ['#7a64b8', '#d6c4f2', '#65509f', '#4a387a', '#ece6f7'],
    bronze: ['#b5854f', '#f7dca0', '#946838', '#6b4726', '#fbefd6'],
    coral: ['#f0806f', '#ffe0c4', '#d9604f', '#a84238', '#fff0e6'],
  },
  markings: [
    ['a pale belly', ({ belly: pale }) => belly(pale, 6)],
    [
      'pale bars',
      ({ marks, belly: pale }) =>
        bands(
          [
            [-30, 7],
            [-4, 7],
            [22, 7],
            [48, 7],
            [74, 7],
            [100, 6],
          ],
          marks,
          undefined,
          10,
        ) + belly(pale, 14),
    ],
    [
      'rows of dots',
      ({ marks, belly: pale }, random) => spots([-40, -34, 120, 12], 9, 2, 4.5, marks, random) + belly(pale, 12),
    ],
  ],
  tailMarkings: () => '',
  shape: {
    body: '-140,8 -114,-26 -60,-50 0,-54 70,-34 120,-12 122,10 70,34 0,52 -60,54 -116,38',
    tail: ['112,-8 142,-54 176,-96 182,-90 164,-40 152,0 164,42 182,92 176,98 142,58 112,12'],
    fins: [
      '-70,-34 -66,-96 -40,-124 -12,-116 14,-138 44,-124 66,-112 88,-72 92,-20 0,-30',
      '34,32 52,58 76,62 78,26',
      '-40,34 -24,84 -10,112 -4,108 -12,74 -14,38',
    ],
    behind: ({ colours: { fins } }) =>
      path('M-110-10Q-170-8-216 0Q-170 14-116 26Z', fins, `stroke="${fins}" stroke-width="5"`),
    pectoral: [-26, 22, 0.7],
    eye: [-84, -8, 22],
    mouth: [-134, 20],
    mouthScale: 0.9,
    gill: -54,
    throat: [-84, 50],
  },
  reach: [-222, 0, 0, 0],
})

export const sunfish = defineSpecies({
  name: 'sunfish',
  water: ['sea'],
  varieties: {
    silver: ['#b5c2d0', '#7f90a8', '#97a8bb', '#6f819a', '#e9eff4'],
    blue: ['#7fa5d4', '#4f78b0', '#658fc4', '#456da6', '#d3e3f5'],
    brown: ['#b3957c', '#86694f', '#997b62', '#6f543f', '#ece0d2'],
    pink: ['#f2b0b8', '#d67f90', '#e5939f', '#c2687f', '#fdeceb'],
    lilac: ['#b0a0d6', '#8470b5', '#9684c4', '#7460a6', '#e8e2f5'],
    sage: ['#a5c2a0', '#769a74', '#8aab86', '#668a66', '#e3efdd'],
  },
  markings: [
    ['a pale belly', ({ belly: pale }) => belly(pale, 34)],
    [
      'freckles',
      ({ marks, belly: pale }, random) => belly(pale, 44) + spots([-30, -92, 96, 40], 5, 4, 7, marks, random),
    ],
    [
      'cloudy patches',
      ({ marks, belly: pale }, random) =>
        belly(pale, 50) + patch(14, -56, 42, 26, marks, random) + patch(56, 12, 30, 28, marks, random),
    ],
  ],
  shape: {
    body: '-126,14 -110,-36 -64,-86 0,-102 62,-88 92,-48 98,0 92,50 62,88 0,104 -64,90 -110,58',
    tail: ['72,-66 104,-66 116,-46 112,-22 120,0 112,24 116,48 104,68 72,68'],
    fins: ['26,-84 34,-146 58,-190 76,-188 86,-130 82,-62', '26,84 34,148 58,192 76,190 86,132 82,64'],
    pectoral: [0, 8, 0.85],
    eye: [-70, -24, 24],
    mouth: [-121, 16],
    mouthScale: 0.8,
    gill: -30,
    hat: [-36, -96, -18],
    throat: [-78, 80],
  },
})

export const anglerfish = defineSpecies({
  name: 'anglerfish',
  water: ['deep'],
  varieties: {
    purple: ['#8a6cc9', '#b89aea', '#a586dd', '#6a4fa8', '#c3aaf0'],
    brown: ['#a8755c', '#d9a888', '#c08a6c', '#7f5544', '#d6ae94'],
    teal: ['#4fa8a0', '#94e0cf', '#66bdb2', '#2f7f7c', '#9fe0d4'],
    red: ['#d65f5c', '#f7a392', '#e67a70', '#a83f48', '#f5ab9c'],
    orange: ['#ee8f4e', '#ffcf8f', '#f5a768', '#bd6232', '#ffcd9c'],
    pink: ['#e88fb5', '#ffd0e0', '#f0a5c4', '#b95f8c', '#ffd5e2'],
  },
  markings: [
    ['a glowing lantern', ({ belly: pale }) => belly(pale, 56)],
    [
      'a glowing lantern and spots',
      ({ marks, belly: pale }, random) => belly(pale, 60) + spots([-20, -84, 104, 10], 5, 3, 9, marks, random),
    ],
    [
      'a glowing lantern and stripes',
      ({ marks, belly: pale }) => stripes([-56, -34, -12], -10, marks, 8) + belly(pale, 60),
    ],
  ],
  shape: {
    body: '-122,30 -118,-16 -84,-68 -20,-96 44,-84 90,-38 104,0 90,44 44,84 -24,100 -90,84 -124,58',
    tail: ['88,-18 116,-46 154,-58 160,0 154,58 116,48 88,22'],
    fins: ['30,-74 40,-110 68,-112 92,-84 92,-42', '32,74 48,104 74,104 92,80 90,44'],
    threads: 'M-34-84Q-44-150-92-156Q-124-158-132-128',
    pectoral: [10, 30, 0.9],
    eye: [-62, -24, 25],
    mouth: [-100, 0],
    mouthScale: 0.001,
    gill: -2,
    throat: [-70, 88],
    behind: () =>
      circle(-132, -114, 42, '#fff3b0', opacity(0.18)) +
      circle(-132, -114, 27, '#fff3b0', opacity(0.35)) +
      circle(-132, -114, 15, '#fff6c4'),
    front({ colours: { body }, mood }) {
      const stroke = lineColourOn(body)
      return mood === 'grumpy'
        ? line('M-118 56Q-70 16-22 50', stroke, 6) +
            path('M-100 43l7-15 8 6zM-72 32l8-14 7 14zM-46 36l10-12 3 17z', '#ffffff')
        : path('M-120 26Q-70 44-20 20Q-30 66-74 70Q-112 68-120 26Z', INK) +
            path('M-110 50l9-14 8 22zM-88 63l9-16 9 17zM-62 66l9-17 8 12zM-40 54l6-16 7 6z', '#ffffff') +
            path('M-104 31l7 12 7-10zM-58 36l7 11 7-14z', '#ffffff')
    },
  },
  reach: [-176, -160, 0, 0],
})

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

const RAY = mirrorPoints(parsePoints('0,-50 30,-66 52,-56 92,-44 150,-76 222,-92 204,-40 150,14 84,56 30,82 0,90'))

export const ray = defineFigure({
  name: 'stingray',
  water: ['sea', 'reef', 'deep'],
  wears: ['none'],
  varieties: {
    blue: ['#5f8fd4', '#cfe6fb', '#4a78bf', '#34589c', '#eef5fc'],
    grey: ['#8f9bb0', '#e3e9f2', '#7a869c', '#5a6680', '#f4f6f9'],
    brown: ['#b58a66', '#f5dfbe', '#9f7552', '#755238', '#fff5e4'],
    purple: ['#8f78c9', '#e6d9fa', '#7a62b5', '#5a4590', '#f6f1fd'],
    teal: ['#4fa5a5', '#cdf2e6', '#3f8f90', '#2c6a70', '#ecf9f5'],
    pink: ['#f0a0b4', '#ffe3e8', '#e0849c', '#b85f7f', '#fff4f4'],
  },
  markings: [
    ['pale spots', ({ marks }, random) => bothSides(spots([74, -70, 200, 20], 5, 3, 8, marks, random))],
    ['broad wings', () => ''],
    ['dark wing tips', ({ trim }) => bothSides(path('M150-120H260V60H150Q190-20 150-120Z', trim, opacity(0.7)))],
  ],
  draw({ colours, mood, iris, bend, sketch }, drawMarkings) {
    const { body, fins, belly: pale } = colours
    const outline = smoothOutline(RAY, 0.9)
    return {
      art: [
        path(
          ribbon(
            [
              [10, 70],
              [40, 130],
              [100 + bend, 130],
              [150 + bend, 172],
            ],
            (t) => 9 - 6 * t,
          ),
          fins,
        ),
        bothSides(path('M18-48Q14-88 34-100Q48-104 46-84Q44-64 56-52Z', fins)),
        sketch.shadedShape(
          outline,
          body,
          drawMarkings(colours, sketch.chance.sequence('markings')) + ellipse(0, 84, 84, 62, pale),
          9,
        ),
        line('M-30 62q-8 6-4 14M30 62q8 6 4 14M-18 68q-5 6-2 12M18 68q5 6 2 12', darken(pale, 0.35), 3.5),
        drawCheek(-58, 18, 15, body) + drawCheek(58, 18, 15, body),
        drawFrontMouth(mood, 0, 26, pale, 0.95),
        drawFrontEyes(0, -20, 24, 36, mood, { skin: body, iris }, sketch),
      ].join(''),
      box: [-228, -108, 228, 182],
      hasCorners: true,
    }
  },
})

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

const EEL = parseCurve('-112,-16 -10,-190 44,170 188,-30')

export const eel = defineFigure({
  name: 'moray eel',
  water: ['reef', 'sea', 'deep'],
  wears: ['none', 'head', 'throat'],
  varieties: {
    green: ['#8fb85a', '#4f7a3c', '#a8cf70', '#5f8f44', '#e3efb5'],
    yellow: ['#ffd04f', '#a8662f', '#ffbe3a', '#e89a30', '#fff0b5'],
    blue: ['#4f86d9', '#ffd95c', '#ffd04a', '#34609f', '#a3c8f5'],
    brown: ['#a87a58', '#5f3f30', '#bf9068', '#7f563c', '#ead2b0'],
    white: ['#faf5ec', '#4f4a68', '#e0d8dc', '#a89fb0', '#ffffff'],
    violet: ['#8f6fc9', '#f0d0f7', '#a989de', '#684a9f', '#d9c4f2'],
  },
  markings: [
    ['spots', ({ marks }, random) => spots([-50, -100, 190, 70], 9, 6, 8, marks, random)],
    [
      'bands',
      ({ marks }) =>
        bands(
          [
            [-50, 12],
            [-18, 12],
            [14, 12],
            [46, 12],
            [78, 12],
            [110, 12],
            [142, 10],
          ],
          marks,
          undefined,
          6,
        ),
    ],
    ['smooth skin', ({ belly: pale }) => line('M-112 18C-10-156 44 204 188 4', pale, 22)],
  ],
  draw({ colours, mood, iris, worn, sketch }, drawMarkings) {
    const { body, fins } = colours
    const head = 'M-176-6C-176-50-136-74-98-62C-64-50-58-8-78 18C-98 44-172 42-176-6Z'
    return {
      art: [
        path(
          ribbon(EEL, (t) => 41 - 28 * t + 15 * Math.min(1, 7 * t - 1.12), 0.16, 1, 9),
          fins,
        ),
        sketch.shadedShape(
          ribbon(EEL, (t) => 41 - 28 * t, 0.02, 1, 9),
          body,
          drawMarkings(colours, sketch.chance.sequence('markings')),
          8,
        ),
        sketch.shadedShape(head, body, '', 7),
        drawCheek(-100, 8, 14, body),
        drawSideMouth(mood, -170, 6, body, 1.05),
        drawSideEye(-114, -26, 24, mood, { skin: body, iris }, sketch),
        place({ x: -92, y: 34, turn: 24 }, drawBowTie(worn, body)),
        place({ x: -100, y: -60, turn: -4 }, drawHat(worn, body)),
      ].join(''),
      box: [-182, worn.accessory === 'none' || worn.accessory === 'bow tie' ? -104 : -126, 212, 74],
    }
  },
})
