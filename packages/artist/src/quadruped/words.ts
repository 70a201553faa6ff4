import type { LookDescription } from '../kind.ts'
import { describeLandAnimal } from '../land-animal.ts'
import type { PoseName, QuadrupedLook } from './look.ts'

const describePose: Record<PoseName, (words: PairWords) => string> = {
  portrait: () => 'posing for a portrait',
  sitting: () => 'sitting',
  standing: () => 'standing',
  loaf: () => 'lying down',
  curled: () => 'resting',
  boxed: () => 'sitting in a cardboard box',
  running: () => 'running',
  jumping: () => 'jumping',
  stretching: () => 'stretching',
  playing: ({ toy }) => `playing with a ${toy}`,
  family: ({ young }) => `sitting beside its ${young}`,
  friends: () => 'sitting beside a friend',
}

const poseTags: Record<PoseName, readonly string[]> = {
  portrait: ['portrait'],
  sitting: ['sitting'],
  standing: ['standing'],
  loaf: ['lying'],
  curled: ['resting', 'lying'],
  boxed: ['box'],
  running: ['running', 'action'],
  jumping: ['jumping', 'action'],
  stretching: ['stretching', 'action'],
  playing: ['playing', 'action', 'toy'],
  family: ['family', 'pair', 'sitting'],
  friends: ['friends', 'pair', 'sitting'],
}

interface PairWords {
  /** "kitten" */
  young: string
  /** "ball of yarn" */
  toy: string
}

interface Words extends PairWords {
  animal: string
  features?: readonly string[]
  /** Name of the natural colour of the coat, and breed; they become tags. */
  colour: string
  breed: string
}

export function describeQuadruped(look: QuadrupedLook, words: Words): LookDescription {
  const description = describeLandAnimal(look, words.animal, words.features ?? [], [describePose[look.pose](words)])
  return {
    ...description,
    tags: [
      ...description.tags,
      ...poseTags[look.pose],
      ...(look.pose === 'family' ? [words.young] : []),
      ...(look.shiny === 'none' ? [words.colour] : []),
      words.breed,
    ],
  }
}
