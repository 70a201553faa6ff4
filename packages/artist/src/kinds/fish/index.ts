import { listBoxes } from '../../boxes.ts'
import { type Accent, accentWeights, type Colour, contrast, isVisibleOn } from '../../colour.ts'
import { defineKind } from '../../kind.ts'
import { equalWeights } from '../../random.ts'
import { chooseScheme, paintScene } from '../../scenes/scene.ts'
import { type Water, type WaterScene, waterScenes } from '../../scenes/water.ts'
import { composeSentence, insertColour } from '../../sentence.ts'
import { nameColour, recolour, type Shiny } from '../../shiny.ts'
import { type FishAccessory, findHatColour, fishAccessories } from './accessories.ts'
import { fishIrises, type Mood, moods } from './face.ts'
import { type Pose, paintPose, poses } from './poses.ts'
import { fishSpecies, type Species } from './species/index.ts'

/** Each species has its own four colourings and three markings. */
const varietyWeights = { first: 1.6, second: 1.2, third: 1, fourth: 1 } as const
const markingWeights = { first: 1.4, second: 1, third: 1 } as const
const indexes = { first: 0, second: 1, third: 2, fourth: 3 } as const

const readWeights = <T extends Record<string, { weight: number }>>(table: T) =>
  Object.fromEntries(Object.entries(table).map(([name, { weight }]) => [name, weight])) as { [K in keyof T]: number }

interface Choices {
  accessory: FishAccessory
  accent: Accent
  species: keyof typeof fishSpecies
  variety: keyof typeof varietyWeights
  shiny: Shiny
}

/** Tags instead of colour names that few people search for. */
const plainColours: Readonly<Record<string, string>> = {
  gold: 'yellow',
  sand: 'brown',
}

function readVariety({ species, variety, shiny }: Choices) {
  const [name, natural] = fishSpecies[species].varieties[indexes[variety]]!
  const tags = shiny === 'none' ? name.split(' and ').map((colour) => plainColours[colour] ?? colour) : []
  return { name: nameColour(shiny, name), tags, colours: recolour(shiny, natural.body, natural) }
}

/** Poses in which a species is hard to recognise. */
const unsuitable: Partial<Record<Choices['species'], readonly Pose[]>> = {
  seahorse: ['jumping', 'peeking', 'darting', 'turning', 'rising', 'diving', 'school'],
  pufferfish: ['jumping', 'darting', 'turning', 'bubbling'],
  anglerfish: ['school', 'jumping', 'bubbling'],
  angelfish: ['jumping', 'school', 'peeking'],
  surgeonfish: ['jumping'],
  betta: ['jumping'],
}

const calmPoses: readonly Pose[] = ['gliding', 'peeking', 'pair', 'family']
/** A bowl is too small for groups and plants. */
const bowlPoses: readonly Pose[] = ['gliding', 'rising', 'diving', 'turning', 'bubbling']

type SpeciesName = keyof typeof fishSpecies
type SceneName = keyof typeof waterScenes
const sceneNames = Object.keys(waterScenes) as SceneName[]

/** The scenes where a species lives and, if it is seen from above the water, jumps. */
const homes = Object.fromEntries(
  Object.entries<Species>(fishSpecies).map(([name, { water }]) => {
    const jumps = !unsuitable[name as SpeciesName]?.includes('jumping')
    const isHome = (scene: WaterScene) => water.includes(scene.water) && (jumps || !scene.surface)
    return [name, sceneNames.filter((scene) => isHome(waterScenes[scene]))]
  }),
) as Record<SpeciesName, SceneName[]>

const { jumping: _, ...poseWeights } = readWeights(poses)

interface FishLook extends Choices {
  pose: Pose
  mood: Mood
  scene: SceneName
  marking: keyof typeof markingWeights
}

/**
 * Replaces choices that contradict the species or each other. Refusing such looks would refuse most: few species live in
 * the same water.
 */
function settle<T extends FishLook>(look: T): T {
  const { wears } = fishSpecies[look.species]
  const home = homes[look.species]
  const scene = home.includes(look.scene) ? look.scene : home[sceneNames.indexOf(look.scene) % home.length]!
  const { water, surface }: WaterScene = waterScenes[scene]
  const isPoseSuitable =
    !unsuitable[look.species]?.includes(look.pose) &&
    (water !== 'bowl' || bowlPoses.includes(look.pose)) &&
    // The aquarium is too small for groups, and its glass would cut the rock.
    (scene !== 'aquarium' || !['pair', 'family', 'school', 'peeking'].includes(look.pose))
  const pose = surface ? 'jumping' : isPoseSuitable ? look.pose : 'gliding'
  const mustBeAwake =
    (look.mood === 'asleep' && pose !== 'gliding') || (look.mood === 'sleepy' && !calmPoses.includes(pose))
  const moodOfPose = mustBeAwake ? 'calm' : look.mood
  const { mouth } = moods[moodOfPose]
  // A seahorse has a small mouth; that of an anglerfish is always wide.
  const mood =
    look.species === 'seahorse' && mouth === 'laugh'
      ? 'calm'
      : look.species === 'anglerfish' && ['round', 'small', 'tongue'].includes(mouth)
        ? 'cheerful'
        : moodOfPose
  const { part } = fishAccessories[look.accessory]
  // A closed eye behind a lens looks like a mistake.
  const isUnsuitable =
    (part === 'eye' && ['joyful', 'cheeky', 'asleep'].includes(mood)) ||
    // A hat would cover the marking.
    (part === 'head' && /head|cap/.test(fishSpecies[look.species].markings[indexes[look.marking]]!))
  return { ...look, scene, pose, mood, accessory: wears.includes(part) && !isUnsuitable ? look.accessory : 'none' }
}

const waterTags: Record<Water, string> = {
  reef: 'sea',
  sea: 'sea',
  deep: 'sea',
  pond: 'freshwater',
  tank: 'aquarium',
  bowl: 'aquarium',
}

/** With this contrast, fins and hats stand out from the water; a body of the same hue needs more. */
const MIN_CONTRAST = 150
const MIN_BODY_CONTRAST = 190
const MIN_HAT_CONTRAST = 105

/** The text names the colour of the accessory, so it must not be darkened. */
function isAccessoryVisible(look: FishLook): boolean {
  const { body } = readVariety(look).colours
  if (fishAccessories[look.accessory].phrase.includes('COLOUR')) return isVisibleOn(look.accent, body)
  const hat = findHatColour(look, body)
  return !hat || contrast(hat, body) >= MIN_HAT_CONTRAST
}

/** The scene, with only those of its colour schemes from which the fish stands out. */
function findClearScene(look: FishLook): WaterScene {
  const { body, fins } = readVariety(look).colours
  const others = [fins, findHatColour(look, body) ?? fins]
  const scene: WaterScene = waterScenes[look.scene]
  const schemes = scene.schemes.filter(({ sky, far }) => {
    const computeContrast = (colour: Colour) => Math.min(contrast(colour, sky), contrast(colour, far))
    return (
      computeContrast(body) >= MIN_BODY_CONTRAST && others.every((colour) => computeContrast(colour) >= MIN_CONTRAST)
    )
  })
  return { ...scene, schemes }
}

export const fish = defineKind({
  name: 'fish',
  traits: {
    species: { ...equalWeights(fishSpecies), clownfish: 1.3, goldfish: 1.4, koi: 1.3 },
    variety: varietyWeights,
    marking: markingWeights,
    pose: poseWeights,
    mood: readWeights(moods),
    accessory: readWeights(fishAccessories),
    scene: equalWeights(waterScenes),
  },
  details: { accent: accentWeights, iris: equalWeights(fishIrises) },
  isFaulty(chosen) {
    const look = settle(chosen)
    return !isAccessoryVisible(look) || findClearScene(look).schemes.length === 0
  },
  paint(chosen, sketch) {
    const look = settle(chosen)
    const clear = findClearScene(look)
    const scene: WaterScene = clear.schemes.length > 0 ? clear : waterScenes[look.scene]
    const { colours } = readVariety(look)
    const model = {
      colours,
      marking: indexes[look.marking],
      mood: look.mood,
      iris: fishIrises[look.iris],
      worn: look,
      bend: 0,
      sketch,
    }
    const { sky } = chooseScheme(scene, [colours.body], sketch.chance)
    const animal = sketch.turnToSide(paintPose(look.pose, fishSpecies[look.species], model, scene, sky))
    return { ...paintScene(scene, [colours.body], sketch, [], listBoxes(animal)), animal }
  },
  describe(chosen) {
    const look = settle(chosen)
    const scene: WaterScene = waterScenes[look.scene]
    const species: Species = fishSpecies[look.species]
    const { name, tags } = readVariety(look)
    const { phrase, tag } = fishAccessories[look.accessory]
    const pose = look.mood === 'asleep' ? 'drifting along' : poses[look.pose].phrase
    return {
      animal: composeSentence(
        `${name} ${look.species}`,
        [species.markings[indexes[look.marking]]!, insertColour(phrase, look.accent)],
        [moods[look.mood].phrase, pose],
      ),
      scene: scene.phrase,
      tags: [
        look.species,
        look.scene,
        waterTags[scene.water],
        ...scene.tags,
        scene.season ?? '',
        look.pose,
        look.mood,
        ...tags,
        look.accessory === 'none' ? '' : tag === 'hat' ? `${look.accessory} hat` : look.accessory,
        tag,
      ].filter(Boolean),
    }
  },
})
