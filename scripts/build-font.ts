// The font of the pages: Nunito from npm, reduced to the characters and the weights that the pages use.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import subsetFont from 'subset-font'

const listCharacters = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i)).join('')

/** ASCII, Latin-1 for names, and the signs of the page texts. Other characters come from the fonts of the visitor. */
const CHARACTERS = `${listCharacters(0x20, 0x7e)}${listCharacters(0xa0, 0xff)}–—‘’“”•…←↑→↓−×ŒœŠšŽžŸ€`
const WEIGHTS = { min: 400, max: 800 }

/** The licence requires its text to be with the font. */
export async function buildFont(root: string): Promise<{ font: Buffer; license: Buffer }> {
  const folder = join(root, 'node_modules', '@fontsource-variable', 'nunito')
  const whole = await readFile(join(folder, 'files', 'nunito-latin-wght-normal.woff2'))
  const font = await subsetFont(whole, CHARACTERS, { targetFormat: 'woff2', variationAxes: { wght: WEIGHTS } })
  return { font, license: await readFile(join(folder, 'LICENSE')) }
}
