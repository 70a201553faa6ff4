import { type Colour, darken, lighten, mix, mostContrasting } from '../../colour.ts'
import { parsePoints, smoothOutline } from '../../curves.ts'
import { drawBubble } from '../../scenes/water/parts.ts'
import { SEA_LEVEL } from '../../scenes/water/surface.ts'
import type { WaterScene } from '../../scenes/water.ts'
import { circle, ellipse, line, mirror, opacity, path, place, svg } from '../../svg.ts'
import type { Box, FishDrawing, FishModel } from './side.ts'
import type { Species } from './species/index.ts'

export const poses = {
  gliding: { weight: 2, phrase: 'gliding along' },
  rising: { weight: 1.5, phrase: 'swimming up' },
  diving: { weight: 1.5, phrase: 'diving down' },
  darting: { weight: 1.3, phrase: 'darting past' },
  turning: { weight: 1.5, phrase: 'making a turn' },
  bubbling: { weight: 1.3, phrase: 'blowing bubbles' },
  peeking: { weight: 1.8, phrase: 'peeking out from behind a rock' },
  pair: { weight: 1.4, phrase: 'swimming with a friend' },
  family: { weight: 1.4, phrase: 'swimming with three little ones' },
  school: { weight: 1.2, phrase: 'leading a school' },
  /** Instead of any other pose, in scenes that show the surface from above. */
  jumping: { weight: 0, phrase: 'leaping' },
} as const
export type Pose = keyof typeof poses

/** Scales and moves a fish so that it fills the area, and turns it by degrees, clockwise. */
function fit(drawing: FishDrawing, area: Box, turn = 0, maxScale = 1.7, flip = false) {
  const {
    art,
    box: [left, top, right, bottom],
    hasCorners,
  } = drawing
  const angle = (turn * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const [minX, maxX] = flip ? [-right, -left] : [left, right]
  const corners = [
    [minX, top],
    [maxX, top],
    [maxX, bottom],
    [minX, bottom],
  ].map(([x, y]) => [x! * cos - y! * sin, x! * sin + y! * cos] as const)
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  // Fish are rounder than their boxes, so the corners of a turned box are empty.
  const slack = hasCorners ? 1 : 1 + Math.abs(sin) * 0.3
  const scale = Math.min((slack * (area[2] - area[0])) / (x1 - x0), (slack * (area[3] - area[1])) / (y1 - y0), maxScale)
  const x = (area[0] + area[2]) / 2 - (scale * (x0 + x1)) / 2
  const y = (area[1] + area[3]) / 2 - (scale * (y0 + y1)) / 2
  return {
    drawn: place({ x, y, scale, turn }, flip ? mirror(art) : art),
    left: x + scale * x0,
    right: x + scale * x1,
    middle: y + (scale * (y0 + y1)) / 2,
  }
}

/** A part of the stage, as shares of its width and height. */
const share = ([left, top, right, bottom]: Box, [a, b, c, d]: Box): Box => [
  left + a * (right - left),
  top + b * (bottom - top),
  left + c * (right - left),
  top + d * (bottom - top),
]

const drawHeart = (x: number, y: number, scale: number) =>
  place({ x, y, scale }, path('M0 18C-40-8-20-35 0-14C20-35 40-8 0 18Z', '#e79', 'stroke="#fff" stroke-width="4"'))

const drawSplash = (x: number, foam: Colour) =>
  place(
    { x, y: SEA_LEVEL + 45 },
    ellipse(0, 8, 150, 20, foam, 0, opacity(0.55)) + ellipse(0, 6, 95, 13, '#fff', 0, opacity(0.6)),
    path(
      smoothOutline(
        parsePoints(
          '-90,14 -98,-25 -120,-55 -75,-40 -60,-14 -50,-55 -60,-90 -25,-60 -12,-16 2,-45 16,-75 25,-40 25,-14 45,-45 80,-65 70,-35 60,-10 85,-30 115,-40 98,-12 95,14 0,25',
        ),
        0.9,
      ),
      foam,
    ),
    [
      [-130, -70, 8],
      [-70, -105, 7],
      [30, -95, 6],
      [90, -90, 9],
      [135, -60, 6],
      [-150, -34, 5],
    ]
      .map(([dx, dy, r]) => circle(dx!, dy!, r!, foam))
      .join(''),
  )

/** A rock to hide behind, at the right edge of the picture. */
function drawRock(fish: Colour) {
  const fill = mostContrasting(['#668', '#b98', '#577', '#876'], fish)
  return (
    path(
      'M512 85C450 70 385 105 360 170C350 205 370 235 350 285C335 330 350 355 330 400C315 445 300 480 305 512H512Z',
      fill,
    ) +
    path(
      'M405 130C380 150 375 180 390 205C400 180 425 160 450 150C440 130 420 125 405 130ZM370 330C360 360 370 390 350 425C380 410 400 380 395 350Z',
      lighten(fill, 0.2),
    ) +
    path('M440 250q30-10 45 20q-25 30-50 8zM405 450q35-16 60 6q-20 30-55 20z', darken(fill, 0.18))
  )
}

/** Where the fish may be. */
const findStage = (scene: WaterScene): Box => scene.stage ?? [26, (scene.top ?? 10) + 28, 485, 445]

export function paintPose(pose: Pose, species: Species, model: FishModel, scene: WaterScene, water: Colour): string {
  const { chance } = model.sketch
  const stage = findStage(scene)
  const draw = (change: Partial<FishModel>) => species.draw({ ...model, ...change })
  const plain = { worn: { ...model.worn, accessory: 'none' } } as const
  const swing = chance.between('bend', 8, 18) * chance.pick('swing', [-1, 1])
  const tilt = chance.between('turn', -6, 6)
  switch (pose) {
    case 'gliding':
      return fit(draw({ bend: swing }), stage, tilt).drawn
    case 'rising':
      return fit(draw({ bend: Math.abs(swing) }), stage, 20 + tilt).drawn
    case 'diving':
      return fit(draw({ bend: -Math.abs(swing) }), stage, -20 + tilt).drawn
    case 'turning':
      return fit(draw({ bend: 27 * Math.sign(swing) }), stage, 10 * Math.sign(swing)).drawn
    case 'darting': {
      const { drawn, right, middle } = fit(draw({ bend: swing }), share(stage, [0, 0.04, 0.82, 0.96]), tilt * 0.5)
      const trail = [-50, -18, 20, 55].map(
        (dy, i) => svg`M${right + 6 + (i % 2) * 8} ${middle + dy}h${i % 2 ? 40 : 56}`,
      )
      return line(trail.join(''), '#fff', 6, opacity(0.65)) + drawn
    }
    case 'bubbling': {
      const { drawn, left, middle } = fit(draw({ bend: swing }), share(stage, [0.16, 0.12, 1, 1]), tilt)
      const bubbles = [
        [-16, 4, 7],
        [-34, -26, 10],
        [-22, -60, 13],
        [-45, -100, 16],
      ]
      return drawn + bubbles.map(([dx, dy, r]) => drawBubble(left + dx!, middle + dy!, r!, '#fff')).join('')
    }
    case 'peeking': {
      const { drawn } = fit(draw({ bend: 0 }), [60, stage[1] + 30, 480, 420], tilt * 0.6, 1.35)
      // It stays below the surface of a pond.
      return drawn + place({ x: 0, y: stage[1] - 38 }, drawRock(model.colours.body))
    }
    case 'pair': {
      const [first, second] = [
        draw({ bend: swing }),
        draw({ ...plain, bend: -swing, mood: 'calm', marking: (model.marking + 1) % 3 }),
      ]
      const [left, top, right, bottom] = first.box
      if (bottom - top > 1.1 * (right - left)) {
        return (
          fit(second, share(stage, [0, 0.1, 0.48, 1]), 0, 1.1, true).drawn +
          fit(first, share(stage, [0.52, 0.1, 1, 1]), 0, 1.1).drawn +
          (model.mood === 'grumpy' ? '' : drawHeart(256, stage[1] + 14, 1))
        )
      }
      return (
        fit(second, share(stage, [0.36, 0, 1, 0.53]), tilt * 0.5).drawn +
        fit(first, share(stage, [0, 0.47, 0.66, 1]), tilt * 0.5).drawn
      )
    }
    case 'family': {
      const { art, box } = draw({ ...plain, bend: 10, mood: 'calm' })
      const [young, again] = model.sketch.reusable(art)
      const at = (part: string, area: Box, turn: number) => fit({ art: part, box }, share(stage, area), turn).drawn
      return (
        fit(draw({ bend: swing }), share(stage, [0.02, 0, 0.98, 0.68]), tilt * 0.5).drawn +
        at(young, [0.1, 0.71, 0.35, 0.92], -4) +
        at(again, [0.39, 0.76, 0.64, 0.98], 3) +
        at(again, [0.68, 0.7, 0.92, 0.91], -3)
      )
    }
    case 'school': {
      const { art, box } = draw({ ...plain, bend: -10, mood: 'calm' })
      const [other, again] = model.sketch.reusable(art)
      const at = (part: string, area: Box) => fit({ art: part, box }, share(stage, area), tilt * 0.5).drawn
      return (
        at(other, [0.4, 0, 0.64, 0.2]) +
        at(again, [0.72, 0.08, 1, 0.3]) +
        at(again, [0.76, 0.64, 1, 0.86]) +
        at(again, [0.4, 0.8, 0.64, 1]) +
        at(again, [0.06, 0.76, 0.3, 0.96]) +
        fit(draw({ bend: swing }), share(stage, [0, 0.2, 0.73, 0.78]), tilt * 0.5).drawn
      )
    }
    case 'jumping': {
      const { drawn, left, right } = fit(draw({ bend: 14 }), [40, 20, 470, SEA_LEVEL + 24], 34 + tilt, 1.4)
      return drawn + drawSplash(left + (right - left) * 0.66, mix(water, '#fff', 0.8))
    }
  }
}
