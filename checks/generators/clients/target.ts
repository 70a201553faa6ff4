// What the program of each generated client gets, and what it has to do.

export interface Target {
  /** Of the service, without a slash at the end. */
  readonly url: string
  /** An operator token. */
  readonly token: string
  /** URL of a PNG that filters can fetch. */
  readonly image: string
}

/** Each function sends a request of one group of endpoints, and throws if the reply is not the expected one. */
export interface Groups {
  readonly developer: () => Promise<void>
  readonly random: () => Promise<void>
  readonly filters: () => Promise<void>
  readonly product: () => Promise<void>
  readonly operator: () => Promise<void>
}

export function expect(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`not as expected: ${what}`)
}

/** Of a WebP. */
export async function expectWebp(blob: Blob): Promise<void> {
  const start = new TextDecoder().decode((await blob.arrayBuffer()).slice(0, 12))
  expect(/^RIFF.{4}WEBP$/s.test(start), `the image is a WebP, but it starts with ${JSON.stringify(start)}`)
}
