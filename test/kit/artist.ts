import sharp from 'sharp'
import { type Artist, artistKinds } from '../../src/features/content/index.ts'

const hueOf = (seed: string) => [...seed].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7)

/** A fast artist: one circle, with a colour from the seed. */
export const plainArtist: Artist = {
  kinds: artistKinds,
  listTags: (kind) => [kind],
  createTagMatcher: (kind, wanted, unwanted) =>
    wanted.some((tag) => tag !== kind) || unwanted.includes(kind)
      ? undefined
      : { mayMatch: () => true, matches: () => true },
  describe: (kind, seed) => ({ alt: `A ${kind} like a circle, "${seed}"`, tags: [kind], color: '#336699' }),
  async render(_kind, seed, format) {
    const circle = `<circle cx="50" cy="50" r="40" fill="hsl(${hueOf(seed)} 80% 50%)"/>`
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="512" height="512">${circle}</svg>`
    return format === 'svg' ? Buffer.from(svg) : sharp(Buffer.from(svg)).toFormat(format).toBuffer()
  },
}
