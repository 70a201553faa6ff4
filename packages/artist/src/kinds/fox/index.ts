import { defineKind } from '../../kind.ts'
import { describeQuadruped, paintQuadruped, quadrupedDetails, quadrupedTraits } from '../../quadruped/index.ts'
import { equalWeights } from '../../random.ts'
import { nameColour, recolour } from '../../shiny.ts'
import { drawFoxHead, type FoxColours, foxBuildWeights, foxColours, foxMarkingWeights } from './head.ts'

export const fox = defineKind({
  name: 'fox',
  traits: {
    ...quadrupedTraits,
    build: foxBuildWeights,
    colour: { ...equalWeights(foxColours), red: 3, rust: 1.6, amber: 1.6 },
    marking: foxMarkingWeights,
  },
  details: { ...quadrupedDetails, eyeColour: { dark: 3, amber: 2, green: 1 } },
  paint(look, sketch) {
    const natural = foxColours[look.colour]
    const colours: FoxColours = recolour(look.shiny, natural.base, natural)
    const { base, pale, socks } = colours
    const coat = {
      base,
      marks: socks,
      pattern: look.marking === 'cross' ? 'saddle' : 'plain',
      chest: pale,
      socks,
      tailTip: pale,
    } as const
    const fluffy = look.build !== 'slender'
    const build = {
      coat,
      tail: 'brush',
      girth: look.build === 'slender' ? 0.88 : look.build === 'fluffy' ? 1.08 : 0.96,
      legs: look.build === 'kit' ? 0.8 : 1,
      fluffy,
    } as const
    return paintQuadruped(look, build, () => drawFoxHead(look, colours, sketch), sketch)
  },
  describe(look) {
    const build = { classic: '', fluffy: 'fluffy ', slender: 'slender ', fennec: 'big-eared ', kit: 'young ' }[
      look.build
    ]
    return describeQuadruped(look, `${build}${nameColour(look.shiny, look.colour)} fox`)
  },
})
