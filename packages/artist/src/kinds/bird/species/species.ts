import type { Colour } from '../../../colour.ts'
import type { Baby } from '../babies.ts'
import type { Beak } from '../beaks.ts'
import type { PoseName } from '../poses/index.ts'

export type Crest = 'none' | 'tuft' | 'horns' | 'comb' | 'plume' | 'curl' | 'peak' | 'crown'
/** The parts of the head that have their own colour. */
export type Face =
  | 'plain'
  | 'breast'
  | 'cap'
  | 'mask'
  | 'discs'
  | 'penguin'
  | 'puffin'
  | 'cheeks'
  | 'mate'
  | 'macaw'
  | 'hood'
  | 'bib'
/** The shape of the body seen from its left side. */
export type Build = 'songbird' | 'ball' | 'upright' | 'parrot' | 'hen' | 'duck' | 'swan' | 'flamingo'

export interface Plumage {
  main: Colour
  wing: Colour
  /** Belly and face. */
  front: Colour
  /** The colour that distinguishes the species: breast, cap, hood. */
  mark: Colour
  beak: Colour
  legs: Colour
}

export interface Species {
  /** Default: the key. */
  name?: string
  /** A more general name, such as "songbird". */
  group?: string
  build: Build
  beak: Beak
  crest: Crest
  face: Face
  belly: 'plain' | 'oval' | 'speckled' | 'breast'
  tail: 'short' | 'long' | 'fan' | 'none'
  /** Width and height of the body and size of the head, seen from the front and relative to a robin. */
  size: readonly [width: number, height: number, head: number]
  /** Length of the legs, relative to a robin. */
  legs: number
  webbed?: boolean
  flippers?: boolean
  baby?: Baby
  /** The phrase for a bird with an open beak. */
  voice: string
  poses: readonly PoseName[]
  plumages: Readonly<Record<string, readonly [Colour, Colour, Colour, Colour, Colour, Colour]>>
}
