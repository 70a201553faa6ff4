import { type Colour, INK } from '../colour.ts'
import { line, n, path, place } from '../svg.ts'

export const mouthStyles = { smile: 4, open: 3, tongue: 2, grin: 2, small: 2, smirk: 2 } as const
export type MouthStyle = keyof typeof mouthStyles

const TONGUE = '#f27f8f'

/** The mouth below a nose at 0,0; about 40 wide. */
function mouth(style: MouthStyle, stroke: Colour): string {
  const cheeks = (reach: number) =>
    line(`M0 0V8Q${n(-reach * 0.4)} 22 ${n(-reach)} 11M0 8Q${n(reach * 0.4)} 22 ${n(reach)} 11`, stroke, 4.4)
  switch (style) {
    case 'smile':
      return cheeks(22)
    case 'open':
      return (
        path('M-17 12Q0 18 17 12Q16 38 0 39T-17 12Z', INK) +
        path('M-9 31Q0 22 9 31Q5 38 0 38T-9 31Z', TONGUE) +
        cheeks(22)
      )
    case 'tongue':
      return path('M-9 13H9V25Q8 36 0 36T-9 25Z', TONGUE) + line('M0 18V27', '#c95a70', 2.5) + cheeks(21)
    case 'grin':
      return cheeks(26) + path('M-15 16l8 0-4 9zM15 16l-8 0 4 9z', '#ffffff')
    case 'small':
      return line('M0 0V7M-8 13Q0 5 8 13', stroke, 4.4)
    case 'smirk':
      return line('M0 0V8M-14 12Q8 22 20 6', stroke, 4.4)
  }
}

export const mouthAt = (style: MouthStyle, x: number, y: number, scale = 1, stroke = INK) =>
  place({ x, y, scale }, mouth(style, stroke))

export const mouthWords: Record<MouthStyle, string> = {
  smile: 'smiling',
  open: 'laughing',
  tongue: 'sticking out its tongue',
  grin: 'grinning',
  small: 'a little shy',
  smirk: 'smirking',
}
