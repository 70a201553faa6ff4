import Type from 'typebox'
import { Bytes } from '../../kernel/schemas.ts'

/** What a JSON reply tells of the filtered picture. */
export const filterFields = {
  message: Type.String({ description: 'Absolute URL that answers with the filtered picture.' }),
  item: Type.Object({
    type: Type.String({ examples: ['image/png'] }),
    width: Type.Integer({ minimum: 1 }),
    height: Type.Integer({ minimum: 1 }),
    size: Bytes,
    pages: Type.Integer({ minimum: 1, description: 'Frames of an animation.' }),
  }),
}
