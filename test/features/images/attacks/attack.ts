/** A hostile image file. */
export interface Attack {
  readonly name: string
  /** The expected reply: 200 for a file that is legal and cheap. */
  readonly status: 200 | 413 | 422
  /** Part of the error message, if the file must not reach the decoder, or must be stopped at a limit. */
  readonly problem?: string
  /** Builds the file. Where the attack needs a large area, that has `side` pixels per side. */
  build(side: number): Buffer | Promise<Buffer>
}
