import { type Eyewear, eyewear } from '../accessories/eyewear.ts'
import { type Headwear, headwear, headwearWords } from '../accessories/headwear.ts'
import { hang, type Neckwear, neckwear, neckwearWords } from '../accessories/neckwear.ts'
import { SHADOW } from '../colour.ts'
import { type EyeStyle, eyeStyles, eyeWords } from '../faces/eyes.ts'
import { type MouthStyle, mouthStyles, mouthWords } from '../faces/mouths.ts'
import { type Accent, accentOptions, wornColours } from '../palette.ts'
import { evenly } from '../random.ts'
import { landScenes } from '../scenes/land.ts'
import { paintScene } from '../scenes/scene.ts'
import type { Sketch } from '../sketch.ts'
import { ellipse, fade, place } from '../svg.ts'
import { boxed } from './boxed.ts'
import { curled } from './curled.ts'
import { loaf } from './loaf.ts'
import { portrait } from './portrait.ts'
import type { Build, Pose } from './pose.ts'
import { sitting } from './sitting.ts'
import { standing } from './standing.ts'

const poses = { portrait, sitting, standing, loaf, curled, boxed } satisfies Record<string, Pose>

/** What every four-legged kind has besides its breeds and coats. */
export const mammalTraits = {
  pose: { portrait: 1, sitting: 1.4, standing: 1, loaf: 1, curled: 0.8, boxed: 0.7 },
  eyes: eyeStyles,
  mouth: mouthStyles,
  headwear,
  neckwear,
  scene: evenly(landScenes),
} as const

/** Choices that some pictures hide: a colour of nothing worn, glasses that few wear. */
export const mammalDetails = { accent: accentOptions, eyewear, side: { left: 1, right: 1 } } as const

export interface MammalLook {
  pose: keyof typeof poses
  eyes: EyeStyle
  mouth: MouthStyle
  headwear: Headwear
  neckwear: Neckwear
  scene: keyof typeof landScenes
  accent: Accent
  eyewear: Eyewear
  side: 'left' | 'right'
}

export const groundShadow = (x: number, rx: number) => ellipse(x, 447, rx, 15, SHADOW).replace('/>', ` ${fade(0.22)}/>`)

export function paintMammal(look: MammalLook, build: Build, head: (sketch: Sketch) => string, sketch: Sketch): string {
  const { back, front } = paintScene(landScenes[look.scene], build.coat.base, sketch)
  const worn = wornColours(look.accent)
  sketch.facing = look.side
  const posed = poses[look.pose](build, sketch)
  const animal = [
    posed.shadow ? groundShadow(posed.shadow.x, posed.shadow.rx) : '',
    posed.body,
    place(posed.neck, hang(look.neckwear, worn.main, worn.second)),
    place(posed.head, head(sketch)),
    posed.front ?? '',
  ].join('')
  return (
    back +
    (look.side === 'left' ? animal : `<g transform="matrix(-1 0 0 1 512 0)">${animal}</g>`) +
    (look.pose === 'portrait' ? '' : front)
  )
}

const poseWords: Record<keyof typeof poses, string> = {
  portrait: 'posing for a portrait',
  sitting: 'sitting',
  standing: 'standing',
  loaf: 'lying down',
  curled: 'curled up',
  boxed: 'in a cardboard box',
}

const listed = (things: readonly string[]) =>
  things.length > 1 ? `${things.slice(0, -1).join(', ')} and ${things.at(-1)}` : things.join('')

/** "A grey tabby cat with …, smiling, sitting in a forest": `has` is what the kind itself adds. */
export function tellMammal(
  look: MammalLook,
  what: string,
  has: readonly string[],
  eyewearWords: readonly string[],
): string {
  const things = [
    ...has,
    ...headwearWords(look.headwear, look.accent),
    ...neckwearWords(look.neckwear, look.accent),
    ...eyewearWords,
  ]
  const article = /^[aeiou]/i.test(what) ? 'An' : 'A'
  const scene = landScenes[look.scene].words
  return `${article} ${what}${things.length > 0 ? ` with ${listed(things)}` : ''}, ${mouthWords[look.mouth]} and ${eyeWords[look.eyes].replace(/^with /, 'showing ')}, ${poseWords[look.pose]} ${scene}`
}
