import { angelfish } from './angelfish.ts'
import { anglerfish } from './anglerfish.ts'
import { betta } from './betta.ts'
import { boxfish } from './boxfish.ts'
import { butterflyfish } from './butterflyfish.ts'
import { catfish } from './catfish.ts'
import { clownfish } from './clownfish.ts'
import type { Species } from './define.ts'
import { discus } from './discus.ts'
import { goldfish } from './goldfish.ts'
import { guppy } from './guppy.ts'
import { koi } from './koi.ts'
import { lionfish } from './lionfish.ts'
import { eel } from './moray-eel.ts'
import { pufferfish } from './pufferfish.ts'
import { sailfish } from './sailfish.ts'
import { seahorse } from './seahorse.ts'
import { shark } from './shark.ts'
import { ray } from './stingray.ts'
import { sunfish } from './sunfish.ts'
import { tang } from './surgeonfish.ts'
import { trout } from './trout.ts'

export type { Species }

/** By tag. */
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
  stingray: ray,
  surgeonfish: tang,
  butterflyfish,
  boxfish,
  lionfish,
  guppy,
  trout,
  discus,
  catfish,
  sailfish,
  sunfish,
  'moray-eel': eel,
} satisfies Record<string, Species>
