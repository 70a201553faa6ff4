import { type Accent, accessoryColours, isVisibleOn } from '../../colour.ts'
import { mouthStyleWeights } from '../../face.ts'
import { defineKind } from '../../kind.ts'
import { describeLandAnimal, isLandLookFaulty, landDetails, landTraits, paintLandAnimal } from '../../land-animal.ts'
import { equalWeights } from '../../random.ts'
import { landScenes } from '../../scenes/land.ts'
import { nameColour, recolour, type Shiny } from '../../shiny.ts'
import { type Blanket, blanketWeights } from './blanket.ts'
import { alpacaEarWeights, drawAlpacaHead, topknotWeights } from './head.ts'
import { alpacaPoses, createYoungWool } from './poses.ts'
import { createWool, curlLengths, fleeces, type Wool, woolPatternWeights } from './wool.ts'

const posePhrases: Record<keyof typeof alpacaPoses, string> = {
  portrait: 'posing for a portrait',
  side: 'standing',
  front: 'standing tall',
  resting: 'resting',
  running: 'running',
  pronking: 'jumping',
  family: 'looking after its young',
}

/** Tags in addition to the name of the pose. */
const poseTags: Record<keyof typeof alpacaPoses, readonly string[]> = {
  portrait: [],
  side: ['standing'],
  front: ['standing'],
  resting: ['lying'],
  running: ['action'],
  pronking: ['jumping', 'action'],
  family: ['cria', 'baby'],
}

/** Hats that would fall off in motion. */
const looseHats = new Set(['top', 'straw', 'party', 'crown'])

interface Fleece {
  fleece: keyof typeof fleeces
  cut: keyof typeof curlLengths
  pattern: keyof typeof woolPatternWeights
  face: 'pale' | 'same' | 'dark'
  shiny: Shiny
}

function readWool({ fleece, cut, pattern, face, shiny }: Fleece) {
  const natural = createWool(fleece, cut, pattern, face)
  return recolour(shiny, natural.fill, natural)
}

interface Wrap {
  blanket: Blanket
  pose: keyof typeof alpacaPoses
  accent: Accent
}

const isBlanketVisible = ({ blanket, pose }: Wrap) => blanket !== 'none' && pose !== 'portrait' && pose !== 'front'

/** Legs, blanket and young must stand out from the background. */
const listMinorColours = (look: Wrap, wool: Wool) => [
  wool.face,
  ...(isBlanketVisible(look) ? [accessoryColours(look.accent, wool.fill).main] : []),
  ...(look.pose === 'family' ? [createYoungWool(wool).fill] : []),
]

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
    const { pose, cut, eyes, headwear, scene } = look
    if (pose === 'running' || pose === 'pronking') {
      if (looseHats.has(headwear) || eyes === 'closed' || eyes === 'sleepy') return true
      if (landScenes[scene].tags?.includes('indoors')) return true
    }
    // Two alpacas with short curls would be a large file.
    if (pose === 'family' && cut === 'curly') return true
    // These do not fit a head with a topknot.
    if (headwear === 'beanie' || headwear === 'cap' || headwear === 'headphones') return true
    // A portrait would rise out of the rug of the room, and hide the flowers of the meadow and the colour of the belly.
    if (pose === 'portrait' && (scene === 'room' || scene === 'meadow' || look.pattern === 'two-toned')) return true
    const wool = readWool(look)
    const { fill, marks } = wool
    // Eyes and mouth would be hard to see.
    if (look.face === 'dark' && (look.fleece === 'black' || look.fleece === 'chocolate')) return true
    // Neckwear and blankets lie on the markings too.
    const hasWrap = look.neckwear !== 'none' || isBlanketVisible(look)
    const under = look.pattern === 'plain' ? [fill] : [fill, marks]
    return (
      (hasWrap && under.some((colour) => !isVisibleOn(look.accent, colour))) ||
      isLandLookFaulty(look, [fill], listMinorColours(look, wool))
    )
  },
  paint(look, sketch) {
    const wool = readWool(look)
    const { main, second } = accessoryColours(look.accent, wool.fill)
    const posed = alpacaPoses[look.pose]({ wool, blanket: look.blanket, main, second }, sketch)
    return paintLandAnimal(
      look,
      [wool.fill],
      posed,
      drawAlpacaHead(look, wool, sketch),
      sketch,
      listMinorColours(look, wool),
    )
  },
  describe(look) {
    const pattern = look.pattern === 'plain' ? '' : `${look.pattern} `
    const coat = look.shiny === 'none' ? `${look.cut === 'cloud' ? 'woolly' : look.cut} ${pattern}` : ''
    const hasVisibleBlanket = isBlanketVisible(look)
    const description = describeLandAnimal(
      look,
      `${coat}${nameColour(look.shiny, look.fleece)} alpaca`,
      hasVisibleBlanket ? ['a woven blanket'] : [],
      [posePhrases[look.pose]],
    )
    const wool = [look.cut, look.pattern, ...(look.shiny === 'none' ? [look.fleece] : [])]
    const blanket = hasVisibleBlanket ? ['blanket'] : []
    return { ...description, tags: [...description.tags, ...wool, ...blanket, look.pose, ...poseTags[look.pose]] }
  },
})
