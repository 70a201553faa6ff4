import { type Colour, contrast, hasVisibleLines, isVisibleOn } from '../../colour.ts'
import { type EyeStyle, eyePhrases, isLineStyle } from '../../face.ts'
import { defineKind } from '../../kind.ts'
import {
  describeLandAnimal,
  isLandLookFaulty,
  landDetails,
  landTraits,
  MOON,
  paintLandAnimal,
} from '../../land-animal.ts'
import { landScenes } from '../../scenes/land.ts'
import type { Scene } from '../../scenes/scene.ts'
import { nameColour, recolour, type Shiny } from '../../shiny.ts'
import { babies } from './babies.ts'
import { beakMoodWeights, listTipColours } from './beaks.ts'
import { nameBirdColour } from './colour-words.ts'
import { drawFrontHead, drawSideHead, eyeBackground, headColour } from './head.ts'
import { COMB } from './parts.ts'
import { birdPoses, type PoseName } from './poses/index.ts'
import type { Season } from './props.ts'
import { type SpeciesName, species } from './species/index.ts'
import type { Plumage, Species } from './species/species.ts'

const posePhrases: Record<PoseName, string> = {
  standing: 'standing',
  strolling: 'standing',
  perched: 'perched on a branch',
  watching: 'sitting on a branch',
  singing: 'singing on a branch',
  hopping: 'hopping',
  flying: 'flying',
  swooping: 'swooping through the air',
  gliding: 'gliding with spread wings',
  landing: 'landing',
  nesting: 'sitting in its nest with two eggs',
  cheering: 'jumping for joy',
  swimming: 'swimming in a pond',
  wading: 'wading in a pond',
  balancing: 'standing on one leg',
  displaying: 'spreading its tail',
  pair: 'snuggling up to its mate',
  family: 'looking after BABIES',
  leading: 'swimming with its young',
}

type Figure = { [S in SpeciesName]: `${S} ${(typeof species)[S]['poses'][number]}` }[SpeciesName]

/** Each species in each of its poses. Species with many poses are more frequent, but not in proportion. */
const figureWeights = Object.fromEntries(
  Object.entries(species).flatMap(([name, { poses }]) =>
    poses.map((pose) => [`${name} ${pose}`, 6 / Math.sqrt(poses.length)]),
  ),
) as Record<Figure, number>

/** One of the four plumages of the species. */
const variantWeights = { first: 3, second: 2, third: 2, fourth: 2 } as const
const variants = Object.keys(variantWeights) as (keyof typeof variantWeights)[]

interface Choice {
  figure: Figure
  variant: keyof typeof variantWeights
  shiny: Shiny
}

const readPlumage = (shape: Species, index: number, shiny: Shiny): Plumage => {
  const [main, wing, front, mark, beak, legs] = Object.values(shape.plumages)[index % 4]!
  return { ...recolour(shiny, main, { main, wing, front, mark, legs }), beak }
}

function readFigure({ figure, variant, shiny }: Choice) {
  const [name, poseName] = figure.split(' ') as [SpeciesName, PoseName]
  const shape: Species = species[name]
  const index = variants.indexOf(variant)
  return {
    shape,
    speciesName: shape.name ?? name,
    poseName,
    pose: birdPoses[poseName],
    plumage: readPlumage(shape, index, shiny),
    mate: readPlumage(shape, index + 1, 'none'),
    plumageName: Object.keys(shape.plumages)[index]!,
  }
}

/** The colours at the edge of the bird; they must stand out from the background. */
function outerColours({ shape, plumage, poseName }: ReturnType<typeof readFigure>): readonly [Colour, ...Colour[]] {
  const { main, mark } = plumage
  const head = headColour(shape, plumage)
  return [main, ...(head === main ? [] : [head]), ...(poseName === 'displaying' ? [mark] : [])]
}

/** Seen from the side, the beak must stand out too. */
const mainColours = (figure: ReturnType<typeof readFigure>): readonly [Colour, ...Colour[]] => [
  ...outerColours(figure),
  ...(figure.pose.view === 'side' ? [figure.plumage.beak] : []),
]

const minorColours = ({ shape, plumage, pose, poseName }: ReturnType<typeof readFigure>): readonly Colour[] => [
  plumage.wing,
  plumage.legs,
  ...(pose.view === 'side' ? [...listTipColours(shape.beak), eyeBackground(shape, plumage)] : []),
  ...(shape.crest === 'comb' ? [COMB] : []),
  ...(shape.baby && (poseName === 'family' || poseName === 'leading') ? [babies[shape.baby][0]] : []),
]

/** More general tags than the name of the pose. */
const poseTags: Partial<Record<PoseName, readonly string[]>> = {
  swooping: ['flying'],
  gliding: ['flying'],
  watching: ['perched'],
  singing: ['perched', 'music'],
  nesting: ['nest', 'eggs'],
  swimming: ['water'],
  wading: ['water'],
  strolling: ['standing'],
  leading: ['family', 'swimming', 'water'],
  pair: ['love'],
}

/** A bird seen from the side does not look at the viewer. */
const sideEyePhrases: Partial<Record<EyeStyle, string>> = { round: 'wide-eyed', side: 'looking ahead' }

const isIndoors = (scene: Scene) => scene.tags?.includes('indoors') === true

const readSeason = ({ tags = [] }: Scene): Season =>
  (['spring', 'autumn', 'winter'] as const).find((season) => tags.includes(season)) ?? 'other'

const MIN_BEAK_CONTRAST = 160
const MIN_MOON_CONTRAST = 110

const longNecks = new Set(['swan', 'flamingo'])
const crestHats = new Set(['none', 'flower', 'bow'])
/** Hats that fit between horns. A party hat would leave the picture. */
const hornHats = new Set(['none', 'flower', 'bow', 'crown', 'leaf'])
/** Hats that would fall off in motion. */
const looseHats = new Set(['top', 'straw', 'party', 'crown'])

export const bird = defineKind({
  name: 'bird',
  traits: { ...landTraits, figure: figureWeights, variant: variantWeights, beak: beakMoodWeights },
  details: landDetails,
  isFaulty(look) {
    const figure = readFigure(look)
    const { shape, pose, poseName, plumage } = figure
    const scene = landScenes[look.scene]
    const { headwear, neckwear, eyewear, eyes, beak } = look
    if (shape.crest === 'horns' ? !hornHats.has(headwear) : shape.crest !== 'none' && !crestHats.has(headwear))
      return true
    // Sunglasses would cover the beak.
    if (eyewear === 'shades') return true
    if (headwear === 'headphones' && (pose.view === 'side' || eyewear !== 'none')) return true
    if (pose.view === 'side' && eyewear !== 'none') return true
    if (pose.active && (looseHats.has(headwear) || eyes === 'closed' || eyes === 'sleepy')) return true
    // With a straight beak, or below the line of a cap, sleepy eyes look grumpy.
    if (eyes === 'sleepy' ? beak !== 'smiling' || shape.face === 'cap' : eyes === 'closed' && beak === 'open')
      return true
    if (pose.outdoors && isIndoors(scene)) return true
    // Neckwear would end on the chest, or be too small to see.
    if (neckwear !== 'none' && (poseName === 'flying' || poseName === 'swooping' || longNecks.has(shape.build)))
      return true
    // A pond would cut the mushrooms, a nest would float, and a branch hides the flowers.
    if (look.scene === 'forest' && poseTags[poseName]?.includes('water')) return true
    if (look.scene === 'spot' && poseName === 'nesting') return true
    if (look.scene === 'meadow' && posePhrases[poseName].includes('branch')) return true
    // The small beak would be in front of a trunk.
    if (look.scene === 'blossom' && longNecks.has(shape.build)) return true
    if (pose.view === 'side') {
      // The beak is in front of trees or windows.
      const behind = { autumn: ['#d75', '#844'], roofs: ['#fc6'] }[look.scene as string]
      const beakColours = [plumage.beak, ...listTipColours(shape.beak)]
      if (behind?.some((colour) => beakColours.some((part) => contrast(part, colour) < MIN_BEAK_CONTRAST))) return true
      // A pale breast would vanish in front of the moon.
      if (look.scene === 'night' && contrast(plumage.front, MOON) < MIN_MOON_CONTRAST) return true
    }
    if (isLineStyle(eyes) && !hasVisibleLines(headColour(shape, plumage), eyeBackground(shape, plumage))) return true
    // Scarves lie on the breast.
    const chest = shape.belly === 'breast' && neckwear !== 'none' ? [plumage.mark] : []
    return (
      chest.some((colour) => !isVisibleOn(look.accent, colour)) ||
      isLandLookFaulty(look, outerColours(figure), minorColours(figure), mainColours(figure))
    )
  },
  paint(look, sketch) {
    const figure = readFigure(look)
    const { shape, pose, poseName, plumage, mate } = figure
    const scene = landScenes[look.scene]
    const setting = { season: readSeason(scene), accent: look.accent, mate }
    const posed = pose.build({ shape, plumage, sketch }, setting)
    const drawHead = pose.view === 'side' ? drawSideHead : drawFrontHead
    return paintLandAnimal(
      look,
      mainColours(figure),
      posed,
      drawHead(poseName === 'singing' ? { ...look, beak: 'open' } : look, shape, plumage, sketch),
      sketch,
      minorColours(figure),
    )
  },
  describe(look) {
    const { shape, speciesName, pose, poseName, plumage, plumageName } = readFigure(look)
    const babies = shape.build === 'upright' ? `its ${shape.baby}` : `its ${shape.baby}s`
    // "Beaming, smiling" would say the same twice, and a smile is not visible from the side.
    const smile = look.eyes === 'happy' || pose.view === 'side' ? '' : 'smiling'
    const mood = poseName === 'singing' ? '' : { closed: '', smiling: smile, open: shape.voice }[look.beak]
    const description = describeLandAnimal(
      look,
      `${nameColour(look.shiny, plumageName)} ${speciesName}`,
      [],
      [mood, posePhrases[poseName].replace('BABIES', babies)].filter(Boolean),
      (pose.view === 'side' && sideEyePhrases[look.eyes]) || eyePhrases[look.eyes],
    )
    const colour = look.shiny === 'none' ? nameBirdColour(plumageName, plumage.main) : ''
    const otherTags = [shape.group, colour, mood && look.beak === 'open' ? 'calling' : mood].filter(
      (tag): tag is string => Boolean(tag),
    )
    const isInAir = poseName === 'flying' || poseName === 'swooping' || poseName === 'gliding'
    return {
      ...description,
      scene: isInAir ? description.scene.replace(/^in a (?=meadow|field)/, 'over a ') : description.scene,
      tags: [
        ...description.tags,
        speciesName,
        ...otherTags,
        ...(poseName === 'strolling' ? [] : [poseName]),
        ...(poseTags[poseName] ?? []),
      ],
    }
  },
})
