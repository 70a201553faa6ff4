import { autumnPond, pond, springPond, winterPond } from './water/freshwater.ts'
import { aquarium, bowl } from './water/glass.ts'
import { deep, open, reef } from './water/sea.ts'
import { bay, lake } from './water/surface.ts'
import type { WaterScene } from './water/water-scene.ts'

export type { Water, WaterScene } from './water/water-scene.ts'

/** All scenes with water. The key is the tag. */
export const waterScenes = {
  reef,
  'open-sea': open,
  'deep-sea': deep,
  pond,
  'spring-pond': springPond,
  'autumn-pond': autumnPond,
  'winter-pond': winterPond,
  bowl,
  aquarium,
  bay,
  lake,
} satisfies Record<string, WaterScene>
