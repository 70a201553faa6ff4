import createClient from 'openapi-fetch'
import type { components, paths } from './generated/openapi-typescript.ts'
import { expect, expectWebp, type Groups, type Target } from './target.ts'

export function buildGroups({ url, token, image }: Target): Groups {
  const client = createClient<paths>({ baseUrl: url })
  const authorized = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } })
  return {
    developer: async () => {
      const { data } = await client.GET('/api/v1/version')
      const version: string | undefined = data?.version
      expect(version !== undefined, 'version')
    },
    random: async () => {
      const { data } = await client.GET('/api/v2/random/animal/{kind}', { params: { path: { kind: 'cat' } } })
      // The types do not tell that the reply is JSON and no picture.
      const item: components['schemas']['PictureItem'] | undefined = typeof data === 'object' ? data.item : undefined
      expect(item?.kind === 'cat', 'item.kind')
    },
    filters: async () => {
      const { data } = await client.GET('/api/v2/filter/{kind}', {
        params: { path: { kind: 'blur' }, query: { image, strength: 5, output: 'webp' } },
        parseAs: 'blob',
      })
      await expectWebp(data as Blob)
      const refused = await client.GET('/api/v2/filter/{kind}', {
        params: { path: { kind: 'contrast' }, query: { image, strength: 9 } },
      })
      expect(refused.error !== undefined && refused.error.code === 'STRENGTH_OUT_OF_RANGE', 'the error code')
    },
    product: async () => {
      const { data } = await client.GET('/api/v5/app/versions')
      expect(data !== undefined && data.launcher?.beta === false, 'launcher.beta')
    },
    operator: async () => {
      const { data } = await authorized.GET('/api/v5/app/operator/token')
      expect(data?.token.scopes.includes('publish') === true, 'token.scopes')
    },
  }
}
