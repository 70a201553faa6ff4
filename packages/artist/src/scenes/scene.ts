import { type Colour, contrast } from '../colour.ts'
import type { Sketch } from '../sketch.ts'

/** What each colour of a background is for; `detail` is the small bright one. */
export interface Scheme {
  sky: Colour
  glow: Colour
  far: Colour
  mid: Colour
  near: Colour
  detail: Colour
}

export interface Scene {
  /** Ends a sentence: "A cat … in falling snow". */
  words: string
  schemes: readonly Scheme[]
  back(scheme: Scheme, sketch: Sketch): string
  /** What lies in front of the animal's feet. */
  front?(scheme: Scheme, sketch: Sketch): string
}

export const scheme = (sky: Colour, glow: Colour, far: Colour, mid: Colour, near: Colour, detail: Colour): Scheme => ({
  sky,
  glow,
  far,
  mid,
  near,
  detail,
})

/** About where a shape of one colour on the other is still plain to see in a thumbnail. */
const PLAIN_TO_SEE = 135

/** A scheme of the scene before which all main colours of an animal stand out; where none is good enough, the best there is. */
export function schemeFor(scene: Scene, coat: readonly Colour[], { chance }: Sketch): Scheme {
  const apart = ({ sky, far, mid }: Scheme) =>
    Math.min(
      ...coat.map((colour) =>
        Math.min(contrast(colour, sky), 1.15 * Math.min(contrast(colour, far), contrast(colour, mid))),
      ),
    )
  const good = scene.schemes.filter((candidate) => apart(candidate) >= PLAIN_TO_SEE)
  if (good.length > 0) return chance.pick('scheme', good)
  return scene.schemes.reduce((best, candidate) => (apart(candidate) > apart(best) ? candidate : best))
}

export function paintScene(scene: Scene, coat: readonly Colour[], sketch: Sketch) {
  const chosen = schemeFor(scene, coat, sketch)
  return { back: scene.back(chosen, sketch), front: scene.front?.(chosen, sketch) ?? '' }
}
