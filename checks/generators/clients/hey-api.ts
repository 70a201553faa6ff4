import {
  getV1Version,
  getV2FilterKind,
  getV2RandomAnimalKind,
  getV5AppOperatorToken,
  getV5AppVersions,
} from './generated/hey-api/index.ts'
import type { PictureItem } from './generated/hey-api/types.gen.ts'
import { expect, expectWebp, type Groups, type Target } from './target.ts'

export function buildGroups({ url: baseUrl, token, image }: Target): Groups {
  return {
    developer: async () => {
      const { data } = await getV1Version({ baseUrl, throwOnError: true })
      const version: string = data.version
      expect(version !== '', 'version')
    },
    random: async () => {
      const { data } = await getV2RandomAnimalKind({ baseUrl, path: { kind: 'cat' }, throwOnError: true })
      const item: PictureItem | undefined = data instanceof Blob || typeof data === 'string' ? undefined : data.item
      expect(item?.kind === 'cat', 'item.kind')
    },
    filters: async () => {
      const query = { image, strength: 5, output: 'webp' } as const
      const { data } = await getV2FilterKind({ baseUrl, path: { kind: 'blur' }, query, throwOnError: true })
      expect(data instanceof Blob, 'a blob')
      if (data instanceof Blob) await expectWebp(data)
      const refused = await getV2FilterKind({ baseUrl, path: { kind: 'contrast' }, query: { image, strength: 9 } })
      expect(refused.error?.code === 'STRENGTH_OUT_OF_RANGE', 'the error code')
    },
    product: async () => {
      const { data } = await getV5AppVersions({ baseUrl, throwOnError: true })
      expect(data.launcher?.beta === false, 'launcher.beta')
    },
    operator: async () => {
      const { data } = await getV5AppOperatorToken({ baseUrl, auth: token, throwOnError: true })
      expect(data.token.scopes.includes('publish'), 'token.scopes')
    },
  }
}
