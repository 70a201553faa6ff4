import { creditJson } from './credits.ts'
import { type PictureType, splitName } from './picture-types.ts'
import type { Stamp } from './stamp.ts'
import type { Item } from './types.ts'

export interface PictureFacts {
  /** The first 12 hex digits of the bytes' SHA-256. */
  id: string
  type: PictureType
  width: number
  height: number
}

/** A picture of a file. There may be 100,000: what is cheap to join is joined when it is asked for. */
export class Picture implements Item {
  readonly kind: string
  readonly name: string
  readonly stamp: Stamp
  readonly facts: PictureFacts
  readonly message: string
  #credit: string

  constructor(kind: string, name: string, stamp: Stamp, facts: PictureFacts) {
    this.kind = kind
    this.name = name
    this.stamp = stamp
    this.facts = facts
    this.message = `/media/animals/${kind}/${encodeURIComponent(this.file)}`
    this.#credit = creditJson(kind, {})
  }

  /** Takes the result of `creditJson`, which many pictures share. */
  set credit(json: string) {
    this.#credit = json
  }

  /** The public name, which carries the digest. A name that ends with its digest already stays as it is. */
  get file() {
    const { stem, extension } = splitName(this.name)
    return stem.endsWith(this.facts.id) ? this.name : `${stem}-${this.facts.id}.${extension}`
  }

  // Percent-encoding leaves nothing that JSON would escape.
  get messageJson() {
    return this.message
  }

  get itemJson() {
    const { id, type, width, height } = this.facts
    return `{"id":"${id}","type":"${type}","width":${width},"height":${height},"size":${this.stamp.size},${this.#credit}}`
  }
}
