import type { Colour } from '../../colour.ts'
import type { Baby } from './babies.ts'
import type { Beak } from './beaks.ts'
import type { PoseName } from './poses.ts'

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
export type Build =
  | 'songbird'
  | 'ball'
  | 'upright'
  | 'parrot'
  | 'hen'
  | 'duck'
  | 'swan'
  | 'flamingo'
  | 'peacock'
  | 'kiwi'

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
  name: string
  build: Build
  beak: Beak
  crest: Crest
  face: Face
  belly: 'plain' | 'oval' | 'speckled' | 'breast'
  tail: 'short' | 'long' | 'fan' | 'none'
  /** Width and height of the body and size of the head, seen from the front and relative to a robin. */
  size: readonly [width: number, height: number, head: number]
  /** Relative to a robin. */
  legs: number
  webbed?: boolean
  flippers?: boolean
  baby?: Baby
  /** What it does with an open beak. */
  voice: string
  poses: readonly PoseName[]
  plumages: Readonly<Record<string, readonly [Colour, Colour, Colour, Colour, Colour, Colour]>>
}

const garden = [
  'standing',
  'strolling',
  'perched',
  'singing',
  'hopping',
  'flying',
  'swooping',
  'gliding',
  'landing',
  'nesting',
  'bathing',
] as const

export const species = {
  robin: {
    name: 'robin',
    build: 'songbird',
    beak: 'point',
    crest: 'none',
    face: 'breast',
    belly: 'breast',
    tail: 'short',
    size: [1.08, 0.95, 1.02],
    legs: 1,
    voice: 'chirping',
    poses: garden,
    plumages: {
      'red-breasted': ['#9c7256', '#7a5540', '#fff1df', '#f2733d', '#54424e', '#8a5a48'],
      'blue-backed': ['#4f8fd0', '#386db0', '#fff4e6', '#f0924f', '#47415a', '#5c4a58'],
      'pink-breasted': ['#666078', '#4b4660', '#fdf0ee', '#f280a8', '#3f3a50', '#4f4658'],
      'flame-breasted': ['#7d8796', '#5d6778', '#fbf3e6', '#ff8c33', '#47414f', '#54485a'],
    },
  },
  titmouse: {
    name: 'titmouse',
    build: 'songbird',
    beak: 'point',
    crest: 'none',
    face: 'cap',
    belly: 'oval',
    tail: 'short',
    size: [1.04, 0.9, 1.08],
    legs: 0.9,
    voice: 'chirping',
    poses: garden,
    plumages: {
      blue: ['#6aa6dc', '#3f78b8', '#ffe27a', '#3f78b8', '#4a4a60', '#5f6a80'],
      great: ['#8fa86a', '#5f7d8c', '#ffdf6b', '#3f3d50', '#3f3d50', '#5f6a80'],
      azure: ['#a9d3ec', '#5b9fd0', '#fffaf2', '#4f8fc8', '#4a4a60', '#5f6a80'],
      crested: ['#b08a6a', '#8a684e', '#fbeedd', '#5a4a4a', '#47415a', '#6a5a58'],
    },
  },
  canary: {
    name: 'canary',
    build: 'songbird',
    beak: 'cone',
    crest: 'tuft',
    face: 'plain',
    belly: 'oval',
    tail: 'short',
    size: [1, 0.94, 1.06],
    legs: 1,
    voice: 'warbling',
    poses: garden,
    plumages: {
      yellow: ['#ffd34f', '#eeb033', '#fff0b8', '#ffd34f', '#f08a4a', '#e08a5a'],
      orange: ['#f79a4a', '#dd7436', '#ffd9ae', '#f79a4a', '#fff0d0', '#b8623f'],
      white: ['#fdf8f0', '#dcdde8', '#ffffff', '#fdf8f0', '#f5984a', '#e8906a'],
      green: ['#a9c95a', '#7fa342', '#f0f4b8', '#a9c95a', '#f2a26b', '#c97a5a'],
    },
  },
  cardinal: {
    name: 'cardinal',
    build: 'songbird',
    beak: 'stout',
    crest: 'peak',
    face: 'mask',
    belly: 'plain',
    tail: 'long',
    size: [1, 0.96, 1],
    legs: 0.9,
    voice: 'whistling',
    poses: ['standing', 'perched', 'singing', 'hopping', 'flying', 'swooping', 'landing', 'nesting', 'pair'],
    plumages: {
      red: ['#e0483f', '#b53238', '#f0706a', '#3f2f3f', '#ff9a4a', '#7a4a48'],
      tan: ['#cfa478', '#b0603f', '#f0d2a8', '#4f3f48', '#f2793f', '#8a5f50'],
      yellow: ['#f5cf4a', '#b8963f', '#fff0b0', '#4a4238', '#8a8a90', '#6a625a'],
      rosy: ['#a9a2b0', '#8a7f92', '#e05f6a', '#8f3f4f', '#ffcf6a', '#7a6a72'],
    },
  },
  owl: {
    name: 'owl',
    build: 'upright',
    beak: 'owl',
    crest: 'horns',
    face: 'discs',
    belly: 'speckled',
    tail: 'short',
    size: [1.08, 1.08, 1.12],
    legs: 0.5,
    baby: 'owlet',
    voice: 'hooting',
    poses: ['standing', 'perched', 'gliding', 'landing', 'nesting', 'family'],
    plumages: {
      brown: ['#a5764f', '#7d5638', '#f8e2c0', '#8a6040', '#f5a03f', '#d98a4a'],
      snowy: ['#fbf8f4', '#d5d9e6', '#ffffff', '#b9bfd2', '#f0a84a', '#8a8598'],
      grey: ['#8b93a8', '#666e88', '#eef0f5', '#5a617a', '#f5b04a', '#d9a060'],
      russet: ['#d07a45', '#a85a35', '#ffe6c8', '#8a4a30', '#ffd05a', '#e8a860'],
    },
  },
  penguin: {
    name: 'penguin',
    build: 'upright',
    beak: 'penguin',
    crest: 'none',
    face: 'penguin',
    belly: 'oval',
    tail: 'none',
    size: [1, 1.16, 1.02],
    legs: 0.3,
    webbed: true,
    flippers: true,
    baby: 'penguin chick',
    voice: 'calling',
    poses: ['standing', 'strolling', 'cheering', 'sliding', 'family', 'hopping'],
    plumages: {
      black: ['#454259', '#33304a', '#fffaf2', '#ffc04d', '#f5913d', '#f5913d'],
      'little blue': ['#5b8fc4', '#3f70a8', '#f6fafd', '#a9d3ec', '#4a4a60', '#f0a0a0'],
      'slate-grey': ['#75809a', '#58637f', '#fffaf2', '#f2a05a', '#e8744a', '#e8744a'],
      'chocolate-brown': ['#7a5548', '#5c3d36', '#fff3e2', '#ffcf7a', '#f2a04a', '#e8905a'],
    },
  },
  puffin: {
    name: 'puffin',
    build: 'upright',
    beak: 'puffin',
    crest: 'none',
    face: 'puffin',
    belly: 'oval',
    tail: 'short',
    size: [1, 1, 1.06],
    legs: 0.55,
    webbed: true,
    voice: 'calling',
    poses: ['standing', 'strolling', 'gliding', 'landing', 'hopping', 'pair'],
    plumages: {
      black: ['#403e54', '#2f2d42', '#fffaf2', '#ffc94d', '#f2663d', '#f58a3d'],
      'slate-grey': ['#6a7590', '#4f5a75', '#fffaf2', '#ffd166', '#ee5f45', '#f58a3d'],
      'dark blue': ['#3f5a8a', '#2f466f', '#f8fafd', '#ffc94d', '#f5743d', '#f2904a'],
      'brown-backed': ['#7d5f52', '#5f463d', '#fff6ea', '#ffd98e', '#e8604a', '#f0904a'],
    },
  },
  duck: {
    name: 'duck',
    build: 'duck',
    beak: 'bill',
    crest: 'curl',
    face: 'hood',
    belly: 'oval',
    tail: 'short',
    size: [1.12, 0.9, 1],
    legs: 0.5,
    webbed: true,
    baby: 'duckling',
    voice: 'quacking',
    poses: ['standing', 'strolling', 'swimming', 'hopping', 'landing', 'family', 'leading', 'bathing'],
    plumages: {
      mallard: ['#b5aaa5', '#8f7f78', '#e6ddd3', '#3f9a6a', '#ffc94d', '#f58f3d'],
      white: ['#fdf9f2', '#dfe0ea', '#ffffff', '#fdf9f2', '#f9a23f', '#f58f3d'],
      yellow: ['#ffd65a', '#f0b43a', '#fff0b0', '#ffd65a', '#f5813d', '#f07f3d'],
      brown: ['#b08258', '#8c623f', '#ecd2ab', '#8c623f', '#f2b04a', '#e88f4a'],
    },
  },
  swan: {
    name: 'swan',
    build: 'swan',
    beak: 'swan',
    crest: 'none',
    face: 'plain',
    belly: 'plain',
    tail: 'short',
    size: [1, 1, 1],
    legs: 0.6,
    webbed: true,
    baby: 'cygnet',
    voice: 'trumpeting',
    poses: ['swimming', 'strolling', 'leading'],
    plumages: {
      white: ['#fdfaf5', '#e2e4ee', '#ffffff', '#fdfaf5', '#f58a3d', '#4f4a5c'],
      black: ['#48455a', '#35324a', '#5a566e', '#48455a', '#e2504c', '#33303f'],
      silver: ['#c3c6d2', '#a3a7b8', '#e2e4ea', '#c3c6d2', '#8a7f8f', '#5f5a6a'],
      rosy: ['#f9d3d3', '#eab0b6', '#ffe9e6', '#f9d3d3', '#ee7f4a', '#5f4a58'],
    },
  },
  flamingo: {
    name: 'flamingo',
    build: 'flamingo',
    beak: 'flamingo',
    crest: 'none',
    face: 'plain',
    belly: 'plain',
    tail: 'short',
    size: [1, 1, 1],
    legs: 1,
    webbed: true,
    voice: 'honking',
    poses: ['wading', 'strolling', 'balancing'],
    plumages: {
      pink: ['#f78fa7', '#ee6f8e', '#fbb4c3', '#f78fa7', '#ffe3d6', '#e8708a'],
      coral: ['#fb8a75', '#ec6a5c', '#ffb5a2', '#fb8a75', '#ffe9d6', '#d9625a'],
      scarlet: ['#e8534f', '#c93c46', '#f58078', '#e8534f', '#ffe0c8', '#c24a50'],
      pale: ['#fbd0d2', '#f5a9b2', '#ffe9e6', '#fbd0d2', '#fff0dc', '#ee9aa5'],
    },
  },
  toucan: {
    name: 'toucan',
    build: 'parrot',
    beak: 'toucan',
    crest: 'none',
    face: 'bib',
    belly: 'plain',
    tail: 'short',
    size: [0.94, 1.06, 1],
    legs: 0.7,
    voice: 'calling',
    poses: ['watching', 'strolling', 'hopping', 'flying', 'swooping', 'singing'],
    plumages: {
      'white-throated': ['#403d55', '#2f2c42', '#fffaf0', '#5fb8e0', '#ff9f3d', '#6a86a8'],
      'yellow-throated': ['#3f4257', '#2d3044', '#ffdf6b', '#6fc07a', '#9ac85a', '#5f8a9a'],
      'red-billed': ['#4a4257', '#372f45', '#fff3e0', '#ffb84d', '#ee5a4a', '#7a80a0'],
      green: ['#4f9a62', '#3a7a50', '#fff0a8', '#e2604f', '#ffcf4d', '#5f7a6a'],
    },
  },
  parrot: {
    name: 'macaw',
    build: 'parrot',
    beak: 'hook',
    crest: 'none',
    face: 'macaw',
    belly: 'plain',
    tail: 'long',
    size: [0.9, 1.06, 1.02],
    legs: 0.7,
    voice: 'chattering',
    poses: ['watching', 'perched', 'strolling', 'flying', 'swooping', 'gliding', 'landing'],
    plumages: {
      scarlet: ['#e5483f', '#3f78c4', '#fff6ea', '#ffcb47', '#3f3a4f', '#6a6478'],
      'blue and yellow': ['#3f8fd0', '#2f6fb0', '#fff9ee', '#ffc83d', '#33303f', '#5a5a6e'],
      green: ['#55ad5f', '#3a86b0', '#fff9ee', '#f2663d', '#454050', '#6a6a70'],
      hyacinth: ['#4a5fc4', '#3748a0', '#ffe06b', '#7f90e0', '#3a364a', '#55526a'],
    },
  },
  cockatiel: {
    name: 'cockatiel',
    build: 'parrot',
    beak: 'hook',
    crest: 'plume',
    face: 'cheeks',
    belly: 'oval',
    tail: 'long',
    size: [0.88, 1.02, 1.02],
    legs: 0.8,
    voice: 'whistling',
    poses: ['watching', 'perched', 'singing', 'flying', 'landing', 'pair'],
    plumages: {
      grey: ['#9298a8', '#6d7388', '#ffe58a', '#f58a4a', '#6a6878', '#8a8595'],
      yellow: ['#ffe07a', '#f3c257', '#fff3c0', '#f5804a', '#e8a878', '#d99a7a'],
      white: ['#fdf9f2', '#dde0ea', '#ffffff', '#f7915a', '#c9a08f', '#c08f80'],
      cinnamon: ['#c49a78', '#a27a5a', '#ffe9b0', '#ee7a45', '#8f6f62', '#9a7a6a'],
    },
  },
  lovebird: {
    name: 'lovebird',
    build: 'songbird',
    beak: 'hook',
    crest: 'none',
    face: 'mate',
    belly: 'oval',
    tail: 'short',
    size: [0.98, 0.92, 1.08],
    legs: 0.7,
    voice: 'chattering',
    poses: ['pair', 'perched', 'nesting', 'bathing', 'hopping', 'gliding', 'landing'],
    plumages: {
      'peach-faced': ['#79c06a', '#4f9a5c', '#c5e08a', '#fb8f6a', '#ffe0b8', '#b0847a'],
      blue: ['#6fb5e0', '#4a8cc0', '#c0e2f2', '#fff4e6', '#f2a88f', '#a08a9a'],
      golden: ['#ffd65f', '#ecae3c', '#fff0b0', '#f5744f', '#fff0d8', '#c08a7a'],
      violet: ['#9f88d8', '#7a62b8', '#d5c8f2', '#fdf4ee', '#f2a890', '#9a80a0'],
    },
  },
  hummingbird: {
    name: 'hummingbird',
    build: 'songbird',
    beak: 'needle',
    crest: 'none',
    face: 'breast',
    belly: 'breast',
    tail: 'short',
    size: [0.9, 0.9, 1],
    legs: 0.5,
    voice: 'humming',
    poses: ['hovering', 'watching'],
    plumages: {
      'ruby-throated': ['#4fae7a', '#37866a', '#fff6ea', '#e2405f', '#4a4658', '#5a5468'],
      violet: ['#8a6fd0', '#6850ac', '#f6effc', '#3fb5a8', '#47415a', '#5a5468'],
      turquoise: ['#3fb0b8', '#2a8490', '#eefaf6', '#f2663d', '#3f4658', '#5a5468'],
      'rose-throated': ['#5a94d8', '#4072b0', '#fff4f0', '#f07aa5', '#47465c', '#5a5468'],
    },
  },
  peacock: {
    name: 'peacock',
    build: 'peacock',
    beak: 'point',
    crest: 'crown',
    face: 'plain',
    belly: 'plain',
    tail: 'long',
    size: [0.74, 0.86, 0.84],
    legs: 0.8,
    voice: 'calling',
    poses: ['displaying', 'strolling'],
    plumages: {
      blue: ['#3f6fd0', '#3a9a8a', '#5a8fe0', '#3fae7a', '#ffcf6b', '#9a8a90'],
      white: ['#fdfaf5', '#e6e8f0', '#ffffff', '#f3f1ee', '#f0b878', '#d9a890'],
      green: ['#3a9a7a', '#4f8a4a', '#5ab890', '#7ab34f', '#ffd27a', '#9a8f80'],
      violet: ['#7f5fc8', '#5f6fc0', '#9f82dc', '#5f9fd0', '#ffcf7a', '#94859a'],
    },
  },
  hen: {
    name: 'hen',
    build: 'hen',
    beak: 'cone',
    crest: 'comb',
    face: 'plain',
    belly: 'speckled',
    tail: 'fan',
    size: [1.14, 0.95, 0.92],
    legs: 0.9,
    baby: 'chick',
    voice: 'clucking',
    poses: ['standing', 'strolling', 'nesting', 'family', 'landing', 'hopping'],
    plumages: {
      brown: ['#b8764a', '#955a38', '#e8b98a', '#b8764a', '#ffc04d', '#f2a04a'],
      white: ['#fdf8f0', '#dcdce6', '#ffffff', '#fdf8f0', '#ffb84a', '#f5a04a'],
      black: ['#4d4a5f', '#37344a', '#6d697f', '#4d4a5f', '#ffc45a', '#f2b05a'],
      golden: ['#f2b95a', '#d08f38', '#ffe3a8', '#f2b95a', '#f58a4a', '#e08045'],
    },
  },
  chick: {
    name: 'chick',
    build: 'ball',
    beak: 'cone',
    crest: 'tuft',
    face: 'plain',
    belly: 'plain',
    tail: 'none',
    size: [1.04, 0.86, 1.16],
    legs: 0.9,
    voice: 'cheeping',
    poses: ['standing', 'strolling', 'hopping', 'hatching'],
    plumages: {
      yellow: ['#ffd84f', '#f5bd3a', '#fff0b0', '#ffd84f', '#f5843d', '#f5843d'],
      white: ['#fdf8ee', '#e6e3e6', '#ffffff', '#fdf8ee', '#f79a4a', '#f5924a'],
      brown: ['#b88a62', '#966a48', '#ecd2ab', '#b88a62', '#ffbf5a', '#f5a55a'],
      grey: ['#a3a5b2', '#82859a', '#e6e5ea', '#a3a5b2', '#ffb05a', '#f59a5a'],
    },
  },
  kiwi: {
    name: 'kiwi',
    build: 'kiwi',
    beak: 'kiwi',
    crest: 'none',
    face: 'plain',
    belly: 'plain',
    tail: 'none',
    size: [1, 1, 1],
    legs: 1,
    voice: 'whistling',
    poses: ['strolling', 'hopping'],
    plumages: {
      brown: ['#9a7050', '#7c563c', '#c9a07a', '#9a7050', '#f0dcc0', '#c09a80'],
      spotted: ['#8d8684', '#6d6664', '#c5bfb8', '#8d8684', '#f3e2d0', '#b89a90'],
      dark: ['#5f4a48', '#463534', '#8a706a', '#5f4a48', '#ead2b8', '#a88a80'],
      cinnamon: ['#c78a58', '#a56c40', '#ecc294', '#c78a58', '#fff0d8', '#9a6a54'],
    },
  },
} as const satisfies Record<string, Species>
export type SpeciesName = keyof typeof species
