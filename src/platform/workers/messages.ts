// What the primary and its workers say to each other. All of it is plain JSON.

/** What a worker is told at its start; it holds for its whole life. */
export interface Part {
  /** 1 to `workers`; whoever takes the place of a dead or an old worker takes its number. */
  readonly number: number
  readonly workers: number
  /** Where all of them listen. */
  readonly host: string
  readonly port: number
  /** When the service was started, in milliseconds since 1970: older than the worker after a restart. */
  readonly startedAt: number
}

/** How to stop: serve on for `graceMs` while /readyz says 503, then leave idle connections open for `lingerMs`. */
export interface ShutdownOptions {
  readonly graceMs: number
  readonly lingerMs: number
}

export type ToPrimary =
  | { readonly kind: 'hello' }
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'lines'; readonly lines: string }
  | { readonly kind: 'tell'; readonly text: string }
  | { readonly kind: 'ask'; readonly id: number; readonly about: string }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'total'; readonly id: number }
  | { readonly kind: 'counted'; readonly id: number; readonly counts: unknown }
  | { readonly kind: 'leaving' }

/** What is heard of a worker that has come to its place. */
export type Heard = Exclude<ToPrimary, { readonly kind: 'hello' | 'ready' }>

export type ToWorker =
  | { readonly kind: 'part'; readonly part: Part }
  | { readonly kind: 'stop'; readonly farewell: ShutdownOptions }
  | { readonly kind: 'log-problem'; readonly problem: string | undefined }
  | { readonly kind: 'ask'; readonly id: number; readonly about: string }
  | { readonly kind: 'answers'; readonly id: number; readonly answers: readonly unknown[] }
  | { readonly kind: 'count'; readonly id: number }
  | { readonly kind: 'leave' }
