import Type from 'typebox'
import type { Problem } from '../../platform/logging/index.ts'
import { describePattern } from '../../platform/yaml/index.ts'

export const CREDITS_FILE = 'credits.yaml'
/** In `CREDITS_FILE`. */
export const DRAWINGS_ENTRY = 'drawings'

const TAG = describePattern(
  '^[a-z0-9][a-z0-9-]{0,49}$',
  'must have 1 to 50 characters: a-z, 0-9 and -, but no - at its start',
)
// Pages link to it, so only http and https: a `javascript:` URL would run code.
const WEB_PAGE = describePattern('^https?://\\S+$', 'must be an http or https URL')

const Text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description })

export const Credit = Type.Object(
  {
    author: Type.Optional(Text(200, 'Author of the picture.')),
    license: Type.Optional(Text(200, 'Licence, such as CC-BY-4.0.')),
    source: Type.Optional(
      Type.String({ pattern: WEB_PAGE, maxLength: 2048, description: 'Page that the picture comes from.' }),
    ),
    alt: Type.Optional(Text(500, 'Description of the picture, for people who do not see it.')),
    tags: Type.Optional(
      Type.Array(Type.String({ pattern: TAG }), {
        maxItems: 50,
        description: 'What the picture shows. A tag consists of a-z, 0-9 and -, and does not start with -.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type Credit = Type.Static<typeof Credit>

/**
 * `credits.yaml`: file name -> credit. `default` applies to other files and to fields that an entry omits. An entry
 * `drawings` means that the kind serves drawings, too.
 */
export const Credits = Type.Record(Type.String(), Credit, {
  description: 'Credits by file name. `default` applies to other files; `drawings` adds drawings to the pictures.',
})
export type Credits = Type.Static<typeof Credits>

/** The credit of a picture as replies show it. */
export type PictureCredit = Readonly<ReturnType<typeof completeCredit>>

export function completeCredit(kind: string, credit: Credit) {
  const { alt = kind.replaceAll('-', ' '), tags = [], author = null, license = null, source = null } = credit
  return { alt, tags, author, license, source }
}

/** The credits of one kind: from credits.yaml, overridden by the sidecar file of a picture. */
export class KindCredits {
  readonly #kind: string
  readonly #sidecars = new Map<string, Credit>()
  #listed = new Map<string, Credit>()
  #default: Credit = {}
  /** Whether drawings are served beside the pictures. */
  hasDrawings = false
  #defaultCredit: PictureCredit

  constructor(kind: string) {
    this.#kind = kind
    this.#defaultCredit = completeCredit(kind, {})
  }

  setListed({ default: fallback = {}, [DRAWINGS_ENTRY]: drawings, ...credits }: Credits): void {
    this.hasDrawings = drawings !== undefined
    this.#default = fallback
    this.#listed = new Map(Object.entries(credits))
    this.#defaultCredit = completeCredit(this.#kind, fallback)
  }

  setSidecar(picture: string, credit: Credit | undefined): void {
    if (credit) this.#sidecars.set(picture, credit)
    else this.#sidecars.delete(picture)
  }

  /** Pictures without a credit of their own share one object: there may be 100,000 of them. */
  creditOf(picture: string): PictureCredit {
    const listed = this.#listed.get(picture)
    const sidecar = this.#sidecars.get(picture)
    if (!listed && !sidecar) return this.#defaultCredit
    return completeCredit(this.#kind, { ...this.#default, ...listed, ...sidecar })
  }

  /** An entry for a missing picture is usually a misspelled name. */
  findProblems(file: string, exists: (picture: string) => boolean): Problem[] {
    return [...this.#listed.keys()]
      .filter((picture) => !exists(picture))
      .map((picture) => ({ file, rule: 'unknown-file', message: `There is no "${picture}" in this folder.` }))
  }
}
