import * as api from './generated/orval.ts'
import { expect, expectWebp, type Groups, type Target } from './target.ts'

export function buildGroups({ token, image }: Target): Groups {
  return {
    developer: async () => {
      const reply = await api.getV1Version()
      expect(reply.status === 200 && reply.data.version !== '', 'version')
    },
    random: async () => {
      const reply = await api.getV2RandomKaomojiKind('cat')
      const data = reply.status === 200 ? reply.data : undefined
      const item: api.TextItem | undefined = data instanceof Object ? data.item : undefined
      expect(item?.kind === 'cat', 'item.kind')
    },
    filters: async () => {
      const reply = await api.getV2FilterKind('blur', { image, strength: 5, output: 'webp' })
      expect(reply.status === 200 && reply.data instanceof Blob, 'a blob')
      if (reply.status === 200 && reply.data instanceof Blob) await expectWebp(reply.data)
      // Where a reply may be a picture, the client reads errors as blobs, too.
      const refused = await api.getV2FilterKind('contrast', { image, strength: 9 })
      expect(refused.status === 400, 'the status of an error')
    },
    product: async () => {
      const reply = await api.getV5AppVersions()
      expect(reply.status === 200 && reply.data.launcher?.beta === false, 'launcher.beta')
    },
    operator: async () => {
      const reply = await api.getV5AppOperatorToken({ headers: { Authorization: `Bearer ${token}` } })
      expect(reply.status === 200 && reply.data.token.scopes.includes('publish'), 'token.scopes')
    },
  }
}
