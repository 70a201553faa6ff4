import Type from 'typebox'
import { type Content, pictureTypeNames, pictureTypes } from '../../content/index.ts'
import { MediaNotFound, RangeNotSatisfiable } from '../../errors.ts'
import { rangedReply, wantedRange } from '../ranged.ts'
import { cache } from '../replies.ts'
import { get, type Route } from '../route.ts'

export const mediaTypes = pictureTypeNames.map((name) => pictureTypes[name].mime)

/** The pictures themselves. */
export const media = (content: Content): Route[] => [
  get(
    '/media/animals/:kind/:file',
    {
      tag: 'Pictures',
      summary: 'A picture',
      description: 'Under names that carry a digest or a seed the bytes never change. `Range` is understood.',
      params: { kind: Type.String({ examples: ['cat'] }), file: Type.String({ examples: ['~hello.webp'] }) },
      otherTypes: mediaTypes,
      otherReplies: { 206: 'The part that `Range` asks for.' },
      errors: [MediaNotFound, RangeNotSatisfiable],
    },
    async (exchange) => {
      const { kind, file } = exchange.params
      const picture = await content.media(kind, file)
      const policy = picture.immutable ? cache.immutable : cache.short
      return rangedReply(picture, wantedRange(picture, exchange), policy, exchange)
    },
  ),
]
