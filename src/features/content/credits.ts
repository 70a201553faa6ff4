import Type from 'typebox'
import { jsonBytes } from './json-bytes.ts'

const Words = (longest: number) => Type.String({ minLength: 1, maxLength: longest })

export const Credit = Type.Object(
  {
    author: Type.Optional(Words(200)),
    license: Type.Optional(Words(200)),
    // A page links to it: nothing but the web, so no `javascript:`.
    source: Type.Optional(Type.String({ pattern: '^https?://\\S+$', maxLength: 2048 })),
    alt: Type.Optional(Words(500)),
  },
  { additionalProperties: false },
)
export type Credit = Type.Static<typeof Credit>

/** `credits.yaml`: file name -> credit; `default` is for all others, and for what an entry leaves out. */
export const Credits = Type.Object({}, { additionalProperties: Credit })
export type Credits = Record<string, Credit>

export const CREDITS_FILE = 'credits.yaml'

/** The fields that every picture has in a reply, as they stand in its JSON, without braces; a byte string. */
export function creditJson(kind: string, credit: Credit): string {
  const { alt = kind.replaceAll('-', ' '), author = null, license = null, source = null } = credit
  return jsonBytes({ alt, author, license, source }).slice(1, -1)
}
