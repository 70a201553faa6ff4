import { CREAM } from '../colour.ts'
import { star } from '../curves.ts'
import { ellipse, line, opacity, path, place, rect, svg } from '../svg.ts'
import { drawBackdrop, findFreePlace, placeCloud, placeSun, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const boat = (x: number, sail: string, hull: string) =>
  place(
    { x, y: 260 },
    path('M-30 0H30Q25 18 12 18H-14Q-25 18-30 0Z', hull),
    path('M2-6V-60Q25-40 30-6Z', sail),
    path('M-4-6V-50Q-20-30-20-6Z', sail, opacity(0.8)),
  )

export const seaside: Scene = {
  phrase: 'by the sea',
  tags: ['summer', 'sea', 'beach', 'outdoors'],
  schemes: [
    scheme('#dee', '#fd8', '#7cd', '#7cd', '#fdb', '#e76'),
    scheme('#fdb', '#fec', '#e99', '#e99', '#fda', '#747'),
    scheme('#fec', '#fb6', '#8cb', '#8cb', '#eda', '#d75'),
    scheme('#47b', '#fea', '#369', '#369', '#ec8', '#f97'),
    scheme('#d76', '#fda', '#a56', '#a56', '#eb8', '#536'),
    scheme('#4a9', '#feb', '#388', '#388', '#ed9', '#f97'),
  ],
  back({ sky, glow, far, near, detail }, { chance }, occupied) {
    const x = chance.pick('sun x', [96, 412])
    const shore = chance.between('shore', 372, 392)
    const boatX = x === 96 ? 466 : 46
    const boatPlace = findFreePlace(
      occupied,
      [
        [boatX, 241],
        [512 - boatX, 241],
      ],
      38,
    )
    return [
      drawBackdrop(sky),
      placeSun(occupied, [x, 130], 42, glow),
      placeCloud(occupied, [508 - x, chance.between('cloud y', 70, 120)], 54, 0.7),
      rect(0, 272, 512, 140, far),
      line(
        scatter(chance, 'waves', 12, [10, 290, 490, 360], (wx, y) => svg`M${wx} ${y}q9-8 18 0t18 0`),
        '#fff',
        4,
        opacity(0.45),
      ),
      boatPlace ? boat(boatPlace[0], CREAM, detail) : '',
      path(svg`M0 ${shore - 6}Q130 ${shore - 22} 256 ${shore - 6}T512 ${shore - 8}V420H0Z`, '#fff', opacity(0.6)),
      path(svg`M0 ${shore + 4}Q130 ${shore - 12} 256 ${shore + 4}T512 ${shore + 2}V512H0Z`, near),
    ].join('')
  },
  front: ({ detail, glow }, { chance }, occupied) =>
    scatter(chance, 'shells', 5, [20, 470, 490, 500], (x, y, random) =>
      !findFreePlace(occupied, [[x, y]], 15)
        ? ''
        : random() < 0.5
          ? path(star(x, y, 15, 8, 5, random()), detail)
          : ellipse(x, y, 9, 6, glow, random() * 90),
    ),
}
