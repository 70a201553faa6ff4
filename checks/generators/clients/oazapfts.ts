import * as api from './generated/oazapfts.ts'
import { expect, type Groups, type Target } from './target.ts'

export function buildGroups({ url: baseUrl, token, image }: Target): Groups {
  return {
    developer: async () => {
      const reply = await api.getV1Version({ baseUrl })
      expect(reply.status === 200 && reply.data.version !== '', 'version')
    },
    random: async () => {
      const reply = await api.getV2RandomAnimalKind('cat', {}, { baseUrl })
      const item: api.PictureItem | undefined = reply.status === 200 ? reply.data.item : undefined
      expect(item?.kind === 'cat', 'item.kind')
    },
    filters: async () => {
      const options = { strength: 5, output: 'webp', format: 'json' } as const
      const reply = await api.getV2FilterKind('blur', image, options, { baseUrl })
      expect(reply.status === 200 && reply.data.item.type === 'image/webp', 'item.type')
      const refused = await api.getV2FilterKind('contrast', image, { strength: 9 }, { baseUrl })
      expect(refused.status === 400 && refused.data.code === 'STRENGTH_OUT_OF_RANGE', 'the error code')
    },
    product: async () => {
      const reply = await api.getV5AppVersions({}, { baseUrl })
      expect(reply.status === 200 && reply.data.launcher?.beta === false, 'launcher.beta')
    },
    operator: async () => {
      const headers = { Authorization: `Bearer ${token}` }
      const reply = await api.getV5AppOperatorToken({ baseUrl, headers })
      expect(reply.status === 200 && reply.data.token.scopes.includes('publish'), 'token.scopes')
    },
  }
}
