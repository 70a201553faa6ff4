import { autumnPond, pond, river, springPond, winterPond } from './water/freshwater.ts'
import { aquarium, bowl } from './water/glass.ts'
import { deep, kelp, lagoon, moonlit, open, reef, wreck } from './water/sea.ts'
import { autumnRiver, bay, lake, moonlitBay, waterfall } from './water/surface.ts'
import type { WaterScene } from './water/water-scene.ts'

export type { Water, WaterScene } from './water/water-scene.ts'

/** By tag. */
export const waterScenes = {
  reef,
  lagoon,
  kelp,
  'open-sea': open,
  'moonlit-sea': moonlit,
  'deep-sea': deep,
  wreck,
  pond,
  'spring-pond': springPond,
  'autumn-pond': autumnPond,
  'winter-pond': winterPond,
  river,
  bowl,
  aquarium,
  bay,
  'moonlit-bay': moonlitBay,
  lake,
  'autumn-river': autumnRiver,
  waterfall,
} satisfies Record<string, WaterScene>
