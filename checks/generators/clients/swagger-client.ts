// @ts-expect-error It has no types.
import createClient from 'swagger-client'
import { expect, expectWebp, type Groups, type Target } from './target.ts'

/** It reads the document when it runs, and has no types. */
export function buildGroups({ url, token, image }: Target): Groups {
  const client = createClient({ url: `${url}/openapi.json`, authorizations: { operator: { value: token } } })
  const execute = async (operationId: string, parameters: object = {}, responseContentType = 'application/json') =>
    (await client).execute({ operationId, parameters, responseContentType })
  return {
    developer: async () => expect((await execute('getV1Version')).body.version !== '', 'version'),
    random: async () => {
      const { body } = await execute('getV2RandomAnimalKind', { kind: 'cat' })
      expect(body.item.kind === 'cat', 'item.kind')
    },
    filters: async () => {
      const parameters = { kind: 'blur', image, strength: 5, output: 'webp' }
      const { data } = await execute('getV2FilterKind', parameters, 'image/webp')
      await expectWebp(data)
      const missing = await execute('getV2FilterKind', { kind: 'blur' }).catch((error: Error) => error.message)
      expect(missing === 'Required parameter image is not provided', `an error before the request: ${missing}`)
    },
    product: async () => expect((await execute('getV5AppVersions')).body.launcher.beta === false, 'launcher.beta'),
    operator: async () => {
      const { body } = await execute('getV5AppOperatorToken')
      expect(body.token.scopes.includes('publish'), 'token.scopes')
    },
  }
}
