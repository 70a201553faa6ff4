import { type Credit, type Credits, creditJson } from './credits.ts'
import type { Problem } from './types.ts'

/** The credits of a kind's pictures: from credits.yaml, and over it from a picture's own sidecar. */
export class CreditBook {
  readonly #kind: string
  readonly #sidecars = new Map<string, Credit>()
  #listed = new Map<string, Credit>()
  #default: Credit = {}
  #defaultJson: string

  constructor(kind: string) {
    this.#kind = kind
    this.#defaultJson = creditJson(kind, {})
  }

  list({ default: fallback = {}, ...credits }: Credits): void {
    this.#default = fallback
    this.#listed = new Map(Object.entries(credits))
    this.#defaultJson = creditJson(this.#kind, fallback)
  }

  sidecar(picture: string, credit: Credit | undefined): void {
    if (credit) this.#sidecars.set(picture, credit)
    else this.#sidecars.delete(picture)
  }

  /** Pictures without words of their own share one string. */
  jsonOf(picture: string): string {
    const listed = this.#listed.get(picture)
    const sidecar = this.#sidecars.get(picture)
    if (!listed && !sidecar) return this.#defaultJson
    return creditJson(this.#kind, { ...this.#default, ...listed, ...sidecar })
  }

  /** An entry for a picture that is not there is most often a name misspelt. */
  problems(file: string, isThere: (picture: string) => boolean): Problem[] {
    return [...this.#listed.keys()]
      .filter((picture) => !isThere(picture))
      .map((picture) => ({ file, rule: 'unknown-file', message: `There is no "${picture}" in this folder.` }))
  }
}
