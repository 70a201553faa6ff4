import { accessoryColours } from '../../colour.ts'
import { mouthStyleWeights } from '../../face.ts'
import { defineKind } from '../../kind.ts'
import { describeLandAnimal, isLandLookFaulty, landDetails, landTraits, paintLandAnimal } from '../../land-animal.ts'
import { equalWeights } from '../../random.ts'
import { landScenes } from '../../scenes/land.ts'
import { nameColour, recolour } from '../../shiny.ts'
import { blanketWeights } from './blanket.ts'
import { alpacaEarWeights, drawAlpacaHead, topknotWeights } from './head.ts'
import { alpacaPoses } from './poses.ts'
import { createWool, curlLengths, fleeces, woolPatternWeights } from './wool.ts'

const posePhrases: Record<keyof typeof alpacaPoses, string> = {
  portrait: 'posing for a portrait',
  side: 'standing',
  front: 'standing tall',
  resting: 'resting',
  running: 'running',
  pronking: 'jumping for joy',
  grazing: 'eating grass',
  family: 'looking after its young',
}

/** Words beside the name of the pose. */
const poseTags: Record<keyof typeof alpacaPoses, readonly string[]> = {
  portrait: [],
  side: ['standing'],
  front: ['standing'],
  resting: ['lying'],
  running: ['action'],
  pronking: ['jumping', 'action'],
  grazing: ['eating', 'grass'],
  family: ['cria', 'baby'],
}

/** They would fall off. */
const looseHats = new Set(['top', 'straw', 'party', 'crown'])
const grassScenes = new Set(['hills', 'meadow', 'forest', 'autumn', 'blossom', 'mountains', 'night'])

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
  isFaulty(look) {
    const { pose, cut, eyes, mouth, headwear, neckwear, scene } = look
    if (pose === 'running' || pose === 'pronking') {
      if (looseHats.has(headwear) || eyes === 'closed' || eyes === 'sleepy') return true
      if (landScenes[scene].tags?.includes('indoors')) return true
    }
    // Two alpacas with short curls would be a large file.
    if (pose === 'family' && cut === 'curly') return true
    // The neck is low and turned, and the mouth is busy.
    if (
      pose === 'grazing' &&
      (!grassScenes.has(scene) || neckwear !== 'none' || mouth === 'open' || mouth === 'tongue')
    )
      return true
    return isLandLookFaulty(look, [fleeces[look.fleece][0]])
  },
  paint(look, sketch) {
    const natural = createWool(look.fleece, look.cut, look.pattern, look.face)
    const wool = recolour(look.shiny, natural.fill, natural)
    const { main, second } = accessoryColours(look.accent, wool.fill)
    const posed = alpacaPoses[look.pose]({ wool, blanket: look.blanket, main, second }, sketch)
    return paintLandAnimal(look, [wool.fill], posed, drawAlpacaHead(look, wool, sketch), sketch)
  },
  describe(look) {
    const pattern = look.pattern === 'plain' ? '' : `${look.pattern} `
    const hasVisibleBlanket = look.blanket !== 'none' && look.pose !== 'portrait' && look.pose !== 'front'
    const description = describeLandAnimal(
      look,
      `${look.cut === 'cloud' ? 'very woolly' : look.cut}, ${pattern}${nameColour(look.shiny, look.fleece)} alpaca`,
      hasVisibleBlanket ? ['a woven blanket'] : [],
      [posePhrases[look.pose]],
    )
    const wool = [look.cut, look.pattern, ...(look.shiny === 'none' ? [look.fleece] : [])]
    const blanket = hasVisibleBlanket ? ['blanket'] : []
    return { ...description, tags: [...description.tags, ...wool, ...blanket, look.pose, ...poseTags[look.pose]] }
  },
})
