import { drawHeadwear } from '../../accessories/headwear.ts'
import { type Accent, accessoryColours, type Colour, darken, GOLD, INK } from '../../colour.ts'
import { star } from '../../curves.ts'
import { bothSides, circle, line, opacity, path, place, rect, svg } from '../../svg.ts'

/** `part` is the part of the fish that must have room for it. */
export const fishAccessories = {
  none: { weight: 16, phrase: '', part: 'none', tag: '' },
  crown: { weight: 1, phrase: 'a golden crown', part: 'head', tag: 'headwear' },
  party: { weight: 1, phrase: 'a COLOUR party hat', part: 'head', tag: 'hat' },
  top: { weight: 1, phrase: 'a top hat', part: 'head', tag: 'hat' },
  sailor: { weight: 1, phrase: 'a sailor hat', part: 'head', tag: 'hat' },
  bow: { weight: 1, phrase: 'a COLOUR bow', part: 'head', tag: 'headwear' },
  flower: { weight: 1, phrase: 'a COLOUR flower', part: 'head', tag: 'headwear' },
  starfish: { weight: 1, phrase: 'a COLOUR starfish on its head', part: 'head', tag: 'headwear' },
  glasses: { weight: 1, phrase: 'COLOUR glasses', part: 'eye', tag: 'eyewear' },
  monocle: { weight: 0.7, phrase: 'a monocle', part: 'eye', tag: 'eyewear' },
  scarf: { weight: 1.2, phrase: 'a COLOUR scarf', part: 'neck', tag: 'neckwear' },
  pearls: { weight: 0.8, phrase: 'a pearl necklace', part: 'neck', tag: 'neckwear' },
  'bow tie': { weight: 1, phrase: 'a COLOUR bow tie', part: 'throat', tag: 'neckwear' },
} as const
export type FishAccessory = keyof typeof fishAccessories

export interface Worn {
  accessory: FishAccessory
  accent: Accent
}

/** The colour of a hat, which must stand out from the background. */
export function findHatColour({ accessory, accent }: Worn, skin: Colour): Colour | undefined {
  if (fishAccessories[accessory].part !== 'head') return undefined
  const fixed: Partial<Record<FishAccessory, Colour>> = { crown: GOLD, top: '#4a3a5c', sailor: '#ffffff' }
  return fixed[accessory] ?? accessoryColours(accent, skin).main
}

/** Around 0,0, the top of the head; about 80 wide. */
export function drawHat({ accessory, accent }: Worn, skin: Colour): string {
  const { main, second } = accessoryColours(accent, skin)
  switch (accessory) {
    case 'crown':
    case 'party':
    case 'top':
      return place({ x: 0, y: 4, scale: 0.66 }, drawHeadwear(accessory, main, second, 0))
    case 'bow':
    case 'flower':
      return place({ x: 0, y: -8, scale: 0.7 }, drawHeadwear(accessory, main, second, 0))
    case 'starfish':
      return place(
        { x: 0, y: -5, turn: 10 },
        path(star(0, 0, 27, 14), main, `stroke="${main}" stroke-width="9"`),
        circle(-6, -3, 3, INK) + circle(6, -3, 3, INK) + line('M-4 5Q0 9 4 5', INK, 2.5),
      )
    case 'sailor':
      return (
        path('M-30-16C-40-44 40-44 30-16Z', '#ffffff', `stroke="#c9d2e6" stroke-width="3"`) +
        path('M-40-22Q0-10 40-22L34 6Q0 16-34 6Z', '#fdfdff', `stroke="#c9d2e6" stroke-width="3"`) +
        line('M-36-8Q0 4 36-8', '#3f6fb5', 5)
      )
    default:
      return ''
  }
}

/** Before one eye; `side` is -1 if the ear is on the left. */
export function drawGlasses({ accessory, accent }: Worn, skin: Colour, x: number, y: number, r: number): string {
  if (accessory === 'glasses') {
    const { main } = accessoryColours(accent, skin)
    return (
      circle(x, y, r * 1.4, '#ffffff', svg`fill-opacity=".15" stroke="${main}" stroke-width="6"`) +
      line(svg`M${x + r * 1.4} ${y - 2}h${r * 1.1}`, main, 6)
    )
  }
  if (accessory === 'monocle') {
    return (
      circle(x, y, r * 1.35, '#ffffff', svg`fill-opacity=".15" stroke="${GOLD}" stroke-width="5"`) +
      line(svg`M${x + r * 1.2} ${y + r * 0.7}q${r} ${r * 1.4} ${-r * 0.2} ${r * 2.4}`, GOLD, 3)
    )
  }
  return ''
}

/** Inside the outline of the body: a band around the body behind the gills, at `x`. */
export function drawCollar({ accessory, accent }: Worn, skin: Colour, x: number): string {
  const { main, second } = accessoryColours(accent, skin)
  const around = svg`M${x}-170Q${x + 24} 0 ${x} 170`
  if (accessory === 'scarf') {
    return (
      line(around, main, 30, 'stroke-linecap="butt"') +
      line(around, second, 30, 'stroke-dasharray="8 24" stroke-linecap="butt"')
    )
  }
  if (accessory === 'pearls') {
    return (
      line(around, darken(skin, 0.4), 17, `stroke-dasharray="0 19"`) +
      line(around, '#fff8ee', 14, 'stroke-dasharray="0 19"')
    )
  }
  return ''
}

/** The loose end of a scarf, with its knot at 0,0. */
export function drawScarfEnd({ accessory, accent }: Worn, skin: Colour): string {
  if (accessory !== 'scarf') return ''
  const { main, second } = accessoryColours(accent, skin)
  const dark = darken(main, 0.2)
  return (
    path('M-8-4L-2 52Q12 58 26 52L14-6Z', dark) +
    line('M0 40Q12 46 23 40', second, 6) +
    line('M4 54v8M12 56v8M21 54v8', dark, 4) +
    rect(-14, -14, 30, 26, main, 10)
  )
}

/** Around 0,0, the throat. */
export function drawBowTie({ accessory, accent }: Worn, skin: Colour): string {
  if (accessory !== 'bow tie') return ''
  const { main } = accessoryColours(accent, skin)
  const dark = darken(main, 0.25)
  return (
    bothSides(
      path('M2-5C14-22 32-24 36-17Q40 0 36 17C32 24 14 22 2 5Z', main) +
        path('M8 0L28-8L25 0L28 8Z', dark, opacity(0.5)),
    ) + rect(-8, -9, 16, 18, dark, 6)
  )
}
