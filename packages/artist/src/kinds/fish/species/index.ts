import { angelfish } from './angelfish.ts'
import { anglerfish } from './anglerfish.ts'
import { betta } from './betta.ts'
import { clownfish } from './clownfish.ts'
import type { Species } from './define.ts'
import { goldfish } from './goldfish.ts'
import { koi } from './koi.ts'
import { pufferfish } from './pufferfish.ts'
import { seahorse } from './seahorse.ts'
import { shark } from './shark.ts'
import { tang } from './surgeonfish.ts'

export type { Species }

/** All species. The key is the tag. */
export const fishSpecies = {
  clownfish,
  goldfish,
  koi,
  angelfish,
  betta,
  pufferfish,
  seahorse,
  anglerfish,
  shark,
  surgeonfish: tang,
} satisfies Record<string, Species>
