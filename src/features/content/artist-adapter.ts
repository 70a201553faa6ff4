import { type AnimalKind, artistKinds, describe } from '../../../packages/artist/src/index.ts'
import { createStudio, type StudioOptions } from './drawing-cache.ts'
import type { Artist } from './types.ts'

/** The built-in artist as the catalogue employs it. */
export function createArtist(options: StudioOptions): Artist {
  const studio = createStudio(options)
  return {
    kinds: artistKinds,
    describe: (kind, seed) => describe(kind as AnimalKind, seed),
    picture: (kind, seed, format, size) => studio.picture(kind as AnimalKind, seed, format, size),
  }
}
