import type { Coat } from '../../quadruped/coat.ts'
import type { TailStyle } from '../../quadruped/tail.ts'
import type { DogCoat } from './coats.ts'

export type DogEars = 'prick' | 'bat' | 'drop' | 'long' | 'button' | 'curly'
type DogFace = 'blaze' | 'mask' | 'cheeks' | 'muzzle' | 'pug' | 'beard' | 'brows' | 'plain'

export interface DogBreed {
  /** Default: the key. */
  name?: string
  ears: DogEars
  face: DogFace
  head: 'round' | 'long' | 'broad'
  tail: TailStyle
  /** As in `Build`. */
  legs: number
  girth: number
  /** Default: plain. */
  pattern?: Coat['pattern']
  socks?: boolean
  chest?: boolean
  /** Ears in the colour of the markings instead of the coat. */
  darkEars?: boolean
}

export const dogBreeds = {
  corgi: {
    ears: 'prick',
    face: 'blaze',
    head: 'broad',
    tail: 'stub',
    legs: 0.55,
    girth: 1.08,
    socks: true,
    chest: true,
  },
  husky: {
    ears: 'prick',
    face: 'mask',
    head: 'round',
    tail: 'plume',
    legs: 1,
    girth: 1.05,
    pattern: 'saddle',
    socks: true,
    chest: true,
    darkEars: true,
  },
  shiba: {
    ears: 'prick',
    face: 'cheeks',
    head: 'round',
    tail: 'plume',
    legs: 0.95,
    girth: 1,
    socks: true,
    chest: true,
  },
  beagle: {
    ears: 'long',
    face: 'blaze',
    head: 'long',
    tail: 'whip',
    legs: 0.9,
    girth: 1,
    pattern: 'saddle',
    socks: true,
    chest: true,
    darkEars: true,
  },
  dalmatian: {
    ears: 'drop',
    face: 'plain',
    head: 'long',
    tail: 'whip',
    legs: 1.05,
    girth: 0.95,
    pattern: 'spots',
    darkEars: true,
  },
  pug: {
    ears: 'button',
    face: 'pug',
    head: 'broad',
    tail: 'stub',
    legs: 0.75,
    girth: 1.15,
    darkEars: true,
  },
  poodle: {
    ears: 'curly',
    face: 'muzzle',
    head: 'long',
    tail: 'pompom',
    legs: 1.05,
    girth: 0.95,
    chest: true,
  },
  retriever: {
    ears: 'drop',
    face: 'muzzle',
    head: 'round',
    tail: 'plume',
    legs: 1,
    girth: 1.05,
    chest: true,
    darkEars: true,
  },
  dachshund: {
    ears: 'long',
    face: 'brows',
    head: 'long',
    tail: 'whip',
    legs: 0.5,
    girth: 0.9,
    socks: true,
    chest: true,
    darkEars: true,
  },
  schnauzer: {
    ears: 'button',
    face: 'beard',
    head: 'round',
    tail: 'stub',
    legs: 0.9,
    girth: 1,
    socks: true,
    chest: true,
  },
  bulldog: {
    name: 'French bulldog',
    ears: 'bat',
    face: 'blaze',
    head: 'broad',
    tail: 'stub',
    legs: 0.72,
    girth: 1.15,
    pattern: 'patches',
    chest: true,
  },
} as const satisfies Record<string, DogBreed>

export function createDogCoat({ pattern = 'plain', socks, chest }: DogBreed, [, base, marks, pale]: DogCoat): Coat {
  return {
    base,
    marks,
    pattern,
    ...(socks && { socks: pale }),
    ...(chest && { chest: pale }),
    ...(pattern === 'saddle' && { tail: marks }),
    tailTip: pale,
  }
}
