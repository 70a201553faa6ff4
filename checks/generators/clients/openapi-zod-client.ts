import { createApiClient } from './generated/openapi-zod-client.ts'
import { expect, type Groups, type Target } from './target.ts'

/** It validates parameters and replies by the schemas. */
export function buildGroups({ url, token, image }: Target): Groups {
  const client = createApiClient(url)
  return {
    developer: async () => {
      const { version } = await client.getV1Version()
      expect(version !== '', 'version')
    },
    random: async () => {
      const { item } = await client.getV2RandomAnimalKind({ params: { kind: 'cat' } })
      expect(item?.kind === 'cat', 'item.kind')
    },
    filters: async () => {
      const queries = { image, strength: 5, output: 'webp', format: 'json' } as const
      const { item } = await client.getV2FilterKind({ params: { kind: 'blur' }, queries })
      expect(item.type === 'image/webp', 'item.type')
      const contrast = await client.getV2FilterKind({
        params: { kind: 'contrast' },
        queries: { image, format: 'json' },
      })
      expect(contrast.item.pages === 1, 'item.pages without a strength')
    },
    product: async () => {
      const { launcher } = await client.getV5AppVersions()
      expect(launcher?.beta === false, 'launcher.beta')
    },
    operator: async () => {
      const reply = await client.getV5AppOperatorToken({ headers: { Authorization: `Bearer ${token}` } })
      expect(reply.token.scopes.includes('publish'), 'token.scopes')
    },
  }
}
