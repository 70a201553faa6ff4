import { composeOnLand, describeOnLand, landDetails, landTraits } from '../../compose.ts'
import { mouthStyles, mouthWords } from '../../faces/mouths.ts'
import { defineKind } from '../../kind.ts'
import { wornColours } from '../../palette.ts'
import { equalWeights } from '../../random.ts'
import { blankets } from './blanket.ts'
import { cuts, fleeces, woolOf, woolPatterns } from './fleece.ts'
import { alpacaHead, bananaEars, topknots } from './head.ts'
import { alpacaPoses } from './poses.ts'

export const alpaca = defineKind({
  name: 'alpaca',
  traits: {
    ...landTraits,
    pose: equalWeights(alpacaPoses),
    mouth: mouthStyles,
    fleece: {
      ...equalWeights(fleeces),
      white: 1.5,
      fawn: 1.5,
      caramel: 1.5,
      pink: 0.6,
      'sky blue': 0.5,
      lavender: 0.5,
    },
    cut: equalWeights(cuts),
    pattern: woolPatterns,
    face: { pale: 3, same: 1, dark: 1 },
    topknot: topknots,
    ears: bananaEars,
  },
  details: { ...landDetails, blanket: blankets },
  paint(look, sketch) {
    const wool = woolOf(look.fleece, look.cut, look.pattern, look.face)
    const { main, second } = wornColours(look.accent, wool.fill)
    const build = { wool, blanket: look.blanket, main, second }
    return composeOnLand(
      look,
      {
        coat: [wool.fill],
        pose: () => alpacaPoses[look.pose](build, sketch),
        head: () => alpacaHead(look, wool, sketch),
      },
      sketch,
    )
  },
  describe(look) {
    const pattern = look.pattern === 'plain' ? '' : `${look.pattern} `
    const pose = { portrait: 'posing for a portrait', side: 'standing', front: 'standing tall', resting: 'resting' }[
      look.pose
    ]
    const cloth = look.blanket !== 'none' && (look.pose === 'side' || look.pose === 'resting')
    return describeOnLand(
      look,
      `${look.cut === 'cloud' ? 'very woolly' : look.cut}, ${pattern}${look.fleece} alpaca`,
      cloth ? ['a woven blanket'] : [],
      [mouthWords[look.mouth], pose],
    )
  },
})
