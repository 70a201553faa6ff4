import type { Scene } from '../scene.ts'

/** Where a species lives. */
export type Water = 'reef' | 'sea' | 'deep' | 'pond' | 'tank' | 'bowl'

export interface WaterScene extends Scene {
  water: Water
  tags: readonly string[]
  season?: 'spring' | 'summer' | 'autumn' | 'winter'
  /** True if the scene shows the surface from above, for fish that jump. */
  surface?: boolean
  /** The y of the surface, if it is visible from below. */
  top?: number
  /** The area for fish; default: most of the picture. */
  stage?: readonly [left: number, top: number, right: number, bottom: number]
}
