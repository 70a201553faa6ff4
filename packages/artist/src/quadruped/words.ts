import type { LookDescription } from '../kind.ts'
import { describeLandAnimal } from '../land-animal.ts'
import type { PoseName, QuadrupedLook } from './look.ts'

/** A phrase, in which TOY and YOUNG are replaced, and the tags. */
const poseWords: Record<PoseName, readonly [phrase: string, tags: string]> = {
  portrait: ['posing for a portrait', 'portrait'],
  sitting: ['sitting', 'sitting'],
  standing: ['standing', 'standing'],
  loaf: ['lying down', 'lying'],
  curled: ['resting', 'resting lying'],
  boxed: ['sitting in a cardboard box', 'box'],
  running: ['running', 'running action'],
  jumping: ['jumping', 'jumping action'],
  stretching: ['stretching', 'stretching action'],
  playing: ['playing with a TOY', 'playing action toy'],
  family: ['sitting beside its YOUNG', 'family pair sitting'],
  friends: ['sitting beside a friend', 'friends pair sitting'],
}

interface Words {
  /** "kitten" */
  young: string
  /** "ball of yarn" */
  toy: string
  animal: string
  features?: readonly string[]
  /** Name of the natural colour of the coat, and breed; they become tags. */
  colour: string
  breed: string
}

export function describeQuadruped(look: QuadrupedLook, words: Words): LookDescription {
  const [phrase, tags] = poseWords[look.pose]
  const action = phrase.replace('TOY', words.toy).replace('YOUNG', words.young)
  const description = describeLandAnimal(look, words.animal, words.features ?? [], [action])
  return {
    ...description,
    tags: [
      ...description.tags,
      ...tags.split(' '),
      ...(look.pose === 'family' ? [words.young] : []),
      ...(look.shiny === 'none' ? [words.colour] : []),
      words.breed,
    ],
  }
}
