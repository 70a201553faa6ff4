import { accessoryColours } from '../../colour.ts'
import { mouthStyleWeights } from '../../face.ts'
import { defineKind } from '../../kind.ts'
import { describeLandAnimal, landDetails, landTraits, paintLandAnimal } from '../../land-animal.ts'
import { equalWeights } from '../../random.ts'
import { nameColour, recolour } from '../../shiny.ts'
import { blanketWeights } from './blanket.ts'
import { alpacaEarWeights, drawAlpacaHead, topknotWeights } from './head.ts'
import { alpacaPoses } from './poses.ts'
import { createWool, curlLengths, fleeces, woolPatternWeights } from './wool.ts'

export const alpaca = defineKind({
  name: 'alpaca',
  traits: {
    ...landTraits,
    pose: equalWeights(alpacaPoses),
    mouth: mouthStyleWeights,
    fleece: {
      ...equalWeights(fleeces),
      white: 1.5,
      fawn: 1.5,
      caramel: 1.5,
      pink: 0.6,
      'sky blue': 0.5,
      lavender: 0.5,
    },
    cut: equalWeights(curlLengths),
    pattern: woolPatternWeights,
    face: { pale: 3, same: 1, dark: 1 },
    topknot: topknotWeights,
    ears: alpacaEarWeights,
  },
  details: { ...landDetails, blanket: blanketWeights },
  paint(look, sketch) {
    const natural = createWool(look.fleece, look.cut, look.pattern, look.face)
    const wool = recolour(look.shiny, natural.fill, natural)
    const { main, second } = accessoryColours(look.accent, wool.fill)
    const posed = alpacaPoses[look.pose]({ wool, blanket: look.blanket, main, second }, sketch)
    return paintLandAnimal(look, [wool.fill], posed, drawAlpacaHead(look, wool, sketch), sketch)
  },
  describe(look) {
    const pattern = look.pattern === 'plain' ? '' : `${look.pattern} `
    const pose = { portrait: 'posing for a portrait', side: 'standing', front: 'standing tall', resting: 'resting' }[
      look.pose
    ]
    const hasVisibleBlanket = look.blanket !== 'none' && (look.pose === 'side' || look.pose === 'resting')
    return describeLandAnimal(
      look,
      `${look.cut === 'cloud' ? 'very woolly' : look.cut}, ${pattern}${nameColour(look.shiny, look.fleece)} alpaca`,
      hasVisibleBlanket ? ['a woven blanket'] : [],
      [pose],
    )
  },
})
