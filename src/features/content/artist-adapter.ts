import { type AnimalKind, artistKinds, describe } from '../../../packages/artist/src/index.ts'
import { Busy } from '../../errors/index.ts'
import { StudioBusy } from '../../platform/concurrency/index.ts'
import { createStudio, type StudioOptions } from './drawing-cache.ts'
import type { Artist } from './types.ts'

const TRY_AGAIN_SECONDS = 1

/** The built-in artist as the catalogue employs it. */
export function createArtist(options: StudioOptions): Artist {
  const studio = createStudio(options)
  return {
    kinds: artistKinds,
    describe: (kind, seed) => describe(kind as AnimalKind, seed),
    picture: (kind, seed, format, size) =>
      studio.picture(kind as AnimalKind, seed, format, size).catch((error) => {
        throw error instanceof StudioBusy ? new Busy(TRY_AGAIN_SECONDS) : error
      }),
  }
}
