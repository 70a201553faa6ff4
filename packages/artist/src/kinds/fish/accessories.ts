import { drawHeadwear } from '../../accessories/headwear.ts'
import { type Accent, accessoryColours, type Colour, frameColourOn, GOLD, INK } from '../../colour.ts'
import { star } from '../../curves.ts'
import { circle, line, path, place, svg } from '../../svg.ts'

/** `part` is the part of the fish that wears the accessory. */
export const fishAccessories = {
  none: { weight: 16, phrase: '', part: 'none', tag: '' },
  crown: { weight: 1, phrase: 'a golden crown', part: 'head', tag: 'headwear' },
  party: { weight: 1, phrase: 'a COLOUR party hat', part: 'head', tag: 'hat' },
  top: { weight: 1, phrase: 'a top hat', part: 'head', tag: 'hat' },
  bow: { weight: 1, phrase: 'a COLOUR bow', part: 'head', tag: 'headwear' },
  flower: { weight: 1, phrase: 'a COLOUR flower', part: 'head', tag: 'headwear' },
  starfish: { weight: 1, phrase: 'a COLOUR starfish on its head', part: 'head', tag: 'headwear' },
  glasses: { weight: 1, phrase: 'round glasses', part: 'eye', tag: 'eyewear' },
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
export function drawGlasses({ accessory }: Worn, skin: Colour, x: number, y: number, r: number): string {
  if (accessory !== 'glasses') return ''
  const frame = frameColourOn(skin)
  return (
    circle(x, y, r * 1.4, '#fff', svg`fill-opacity=".15" stroke="${frame}" stroke-width="6"`) +
    line(svg`M${x + r * 1.4} ${y - 2}h${r * 1.1}`, frame, 6)
  )
}
