import { type Colour, lighten } from '../../../colour.ts'
import type { Water } from '../../../scenes/water.ts'
import type { fishAccessories } from '../accessories.ts'
import type { FishColours } from '../markings.ts'
import {
  type Box,
  type DrawMarkings,
  defineSideFish,
  type FishDrawing,
  type FishModel,
  type SideShape,
} from '../side.ts'

/** The colours of body, markings, fins, trim and belly. */
type Palette = readonly [Colour, Colour, Colour, Colour, Colour?]
type Part = (typeof fishAccessories)[keyof typeof fishAccessories]['part']

export interface Species {
  water: readonly Water[]
  /** The four colourings of the species. */
  varieties: readonly (readonly [name: string, colours: FishColours])[]
  /** The phrases of the three markings. */
  markings: readonly string[]
  /** The parts that can wear an accessory. */
  wears: readonly Part[]
  draw(model: FishModel): FishDrawing
}

interface Definition {
  water: readonly Water[]
  varieties: Readonly<Record<string, Palette>>
  markings: readonly (readonly [phrase: string, draw: DrawMarkings])[]
}

interface SideDefinition extends Definition {
  shape: SideShape
  tailMarkings?: DrawMarkings
  /** The space that special parts need beyond body and fins. */
  reach?: Box
}

interface FigureDefinition extends Definition {
  wears: readonly Part[]
  draw(model: FishModel, drawMarkings: DrawMarkings): FishDrawing
}

const readVarieties = ({ varieties }: Definition) =>
  Object.entries(varieties).map(([name, [body, marks, fins, trim, belly = lighten(body, 0.4)]]) => {
    return [name, { body, marks, fins, trim, belly }] as const
  })

/** A species that is drawn in its own way. */
export const defineFigure = (definition: FigureDefinition): Species => ({
  ...definition,
  varieties: readVarieties(definition),
  markings: definition.markings.map(([phrase]) => phrase),
  draw: (model) => definition.draw(model, definition.markings[model.marking]![1]),
})

/** A species that is drawn from its side: body, tail, fins. */
export function defineSpecies(definition: SideDefinition): Species {
  const { shape, markings, tailMarkings, reach = [0, 0, 0, 0] } = definition
  const drawSide = defineSideFish(
    shape,
    markings.map(([, draw]) => draw),
    tailMarkings,
  )
  return {
    ...definition,
    varieties: readVarieties(definition),
    markings: markings.map(([phrase]) => phrase),
    wears: ['none', 'eye', ...(shape.hat ? (['head'] as const) : [])],
    draw(model) {
      const { art, box } = drawSide(model)
      return {
        art,
        box: [
          Math.min(box[0], reach[0]),
          Math.min(box[1], reach[1]),
          Math.max(box[2], reach[2]),
          Math.max(box[3], reach[3]),
        ],
      }
    },
  }
}
