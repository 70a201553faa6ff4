import { type Colour, contrast, darken, lighten, SHADOW } from '../colour.ts'
import { ellipsePath } from '../curves.ts'
import type { Sketch } from '../sketch.ts'
import { circle, line, opacity, path } from '../svg.ts'

const TOY_COLOURS = ['#d54', '#58d', '#fc4', '#86c', '#3aa', '#e79']

/** With less contrast than this, a toy is hard to see beside a paw. */
const MIN_TOY_CONTRAST = 140

export type Toy = 'ball' | 'yarn'

/** A toy with a radius of 44 around 0,0, in a colour that stands out from the coat. */
export function drawToy(toy: Toy, coat: Colour, sketch: Sketch): string {
  const colour = sketch.chance.pick(
    'toy',
    TOY_COLOURS.filter((candidate) => contrast(candidate, coat) >= MIN_TOY_CONTRAST),
  )
  const round = ellipsePath(0, 0, 44, 44)
  const dark = darken(colour, 0.25)
  // Not a `shadedShape`, which has the sheen of a shiny animal.
  const drawRound = (markings: string) =>
    sketch.clip(
      round,
      circle(0, 0, 44, colour) + markings,
      circle(-10, -10, 56, 'none', `stroke="${SHADOW}" stroke-width="24" ${opacity(0.17)}`),
    )
  if (toy === 'ball') return drawRound(path('M-60-14Q0-34 60-14V14Q0-6-60 14Z', lighten(colour, 0.75)))
  const threads =
    line('M-34-30Q6-34 42 6M-44-8Q0-14 30 34M-40 14Q-16 10 4 44', dark, 4) +
    line('M-30 34Q-34-10 10-44M-6 44Q-6 0 40-20M20 40Q20 20 44 8', lighten(colour, 0.35), 4, opacity(0.9))
  return line('M10 42Q60 54 92 40T150 40', colour, 5) + drawRound(threads)
}
