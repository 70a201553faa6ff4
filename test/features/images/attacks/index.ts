import type { Attack } from './attack.ts'
import { attacks as avif } from './avif.ts'
import { attacks as gif } from './gif.ts'
import { attacks as jpeg } from './jpeg.ts'
import { attacks as png } from './png.ts'
import { attacks as tiff } from './tiff.ts'
import { attacks as webp } from './webp.ts'

export const attacksByFormat: Record<string, readonly Attack[]> = { jpeg, png, webp, gif, avif, tiff }
