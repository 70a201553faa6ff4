import type { Box } from '../boxes.ts'
import { type Colour, contrast, expand } from '../colour.ts'
import type { Chance } from '../random.ts'
import type { Sketch } from '../sketch.ts'

/** The colours of a background, from sky to foreground; `glow` is for light, `detail` for small bright things. */
export interface Scheme {
  sky: Colour
  glow: Colour
  far: Colour
  mid: Colour
  near: Colour
  detail: Colour
}

export interface Scene {
  /** The end of a description: "A cat … in falling snow". */
  phrase: string
  /** Season, place and things, in addition to the name of the scene. */
  tags?: readonly string[]
  schemes: readonly Scheme[]
  /** Colours of large things behind the animal, such as trees, in addition to those of sky and hills. */
  prominent?: readonly (keyof Scheme)[]
  /** A large thing that has the same colour in every scheme. */
  fixed?: Colour
  /** `occupied` are the parts of the animal, and then of the scene, that small things should not touch. */
  back(scheme: Scheme, sketch: Sketch, occupied: Box[]): string
  /** The part in front of the animal's feet. */
  front?(scheme: Scheme, sketch: Sketch, occupied: Box[]): string
}

export const scheme = (sky: Colour, glow: Colour, far: Colour, mid: Colour, near: Colour, detail: Colour): Scheme => ({
  sky,
  glow,
  far,
  mid,
  near,
  detail,
})

/** With this contrast, a shape is still clearly visible in a thumbnail. */
const MIN_CONTRAST = 135

/** The lowest contrast of a colour to the background. Hills and trees may have a little less contrast than the sky. */
const computeContrast = (scheme: Scheme, colours: readonly Colour[], prominent: Scene['prominent'] = []) =>
  Math.min(
    ...colours.flatMap((colour) => [
      contrast(colour, scheme.sky),
      1.15 * Math.min(contrast(colour, scheme.far), contrast(colour, scheme.mid)),
      ...prominent.map((key) => 1.3 * contrast(colour, scheme[key])),
    ]),
  )

/** Ears, tails and hats are small, so they need less contrast. A tail may lie on the ground. */
const MIN_MINOR_CONTRAST = 90

/** Ignores the contrast to the moon (`glow`): a pale tip of a tail may be in front of it. */
const hasMinorContrast = ({ prominent = [] }: Scene, scheme: Scheme, colours: readonly Colour[]) =>
  computeContrast(scheme, colours, [...prominent.filter((key) => key !== 'glow'), 'near']) >= MIN_MINOR_CONTRAST

/** Chooses a scheme with enough contrast to all main colours of the animal; if there is none, the best one. */
export function chooseScheme(
  scene: Scene,
  mainColours: readonly Colour[],
  chance: Chance,
  minorColours: readonly Colour[] = [],
): Scheme {
  const suitable = scene.schemes.filter(
    (candidate) => computeContrast(candidate, mainColours, scene.prominent) >= MIN_CONTRAST,
  )
  const best = suitable.filter((candidate) => hasMinorContrast(scene, candidate, minorColours))
  if (best.length > 0) return chance.pick('scheme', best)
  if (suitable.length > 0) return chance.pick('scheme', suitable)
  return scene.schemes.reduce((best, candidate) =>
    computeContrast(candidate, mainColours, scene.prominent) > computeContrast(best, mainColours, scene.prominent)
      ? candidate
      : best,
  )
}

/** False if the animal would be hard to see in every scheme of the scene. */
export const standsOut = (scene: Scene, mainColours: readonly Colour[], minorColours: readonly Colour[] = []) =>
  !mainColours.some((colour) => scene.fixed && contrast(colour, scene.fixed) < MIN_CONTRAST) &&
  scene.schemes.some(
    (candidate) =>
      computeContrast(candidate, mainColours, scene.prominent) >= MIN_CONTRAST &&
      hasMinorContrast(scene, candidate, minorColours),
  )

export function paintScene(
  scene: Scene,
  mainColours: readonly Colour[],
  sketch: Sketch,
  minorColours: readonly Colour[] = [],
  occupied: readonly Box[] = [],
) {
  const chosen = chooseScheme(scene, mainColours, sketch.chance, minorColours)
  return {
    back: scene.back(chosen, sketch, [...occupied]),
    front: scene.front?.(chosen, sketch, [...occupied]) ?? '',
    color: expand(chosen.sky),
    near: chosen.near,
  }
}
