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
  bow: { weight: 1, phrase: 'a COLOUR bow', part: 'head', tag: 'headwear' },
  flower: { weight: 1, phrase: 'a COLOUR flower', part: 'head', tag: 'headwear' },
  starfish: { weight: 1, phrase: 'a COLOUR starfish on its head', part: 'head', tag: 'headwear' },
  glasses: { weight: 1, phrase: 'COLOUR glasses', part: 'eye', tag: 'eyewear' },
  scarf: { weight: 1.2, phrase: 'a COLOUR scarf', part: 'neck', tag: 'neckwear' },
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
  const fixed: Partial<Record<FishAccessory, Colour>> = { crown: GOLD, top: '#435' }
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
    default:
      return ''
  }
}

/** Before one eye; `side` is -1 if the ear is on the left. */
export function drawGlasses({ accessory, accent }: Worn, skin: Colour, x: number, y: number, r: number): string {
  if (accessory === 'glasses') {
    const { main } = accessoryColours(accent, skin)
    return (
      circle(x, y, r * 1.4, '#fff', svg`fill-opacity=".15" stroke="${main}" stroke-width="6"`) +
      line(svg`M${x + r * 1.4} ${y - 2}h${r * 1.1}`, main, 6)
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
  return ''
}

/** The loose end of a scarf, with its knot at 0,0. */
export function drawScarfEnd({ accessory, accent }: Worn, skin: Colour): string {
  if (accessory !== 'scarf') return ''
  const { main, second } = accessoryColours(accent, skin)
  const dark = darken(main, 0.2)
  return (
    path('M-8-4L-2 50Q12 60 25 50L14-6Z', dark) +
    line('M0 40Q12 45 25 40', second, 6) +
    line('M4 55v8M12 55v8M20 55v8', dark, 4) +
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
      path('M2-5C14-20 30-25 35-17Q40 0 35 17C30 25 14 20 2 5Z', main) +
        path('M8 0L30-8L25 0L30 8Z', dark, opacity(0.5)),
    ) + rect(-8, -9, 16, 18, dark, 6)
  )
}
