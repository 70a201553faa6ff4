// Traces for OpenTelemetry. What they stand on is loaded only where there is somewhere to send them.
import type { TraceOptions } from './options.ts'

export type { TraceOptions } from './options.ts'

/** A part of the work on a request; times are on the clock of `performance.now`. */
export interface TracedStage {
  readonly name: string
  readonly startedAt: number
  readonly ms: number
}

/** All that a trace tells of a request: nothing of the caller, and no query. */
export interface TracedRequest extends TracedStage {
  readonly id: string
  readonly method: string
  /** The pattern of the path; undefined where there is no such path. */
  readonly route: string | undefined
  readonly status: number
  /** The caller's own trace, as W3C writes it. */
  readonly traceparent: string | undefined
  readonly stages: readonly TracedStage[]
}

export interface Traces {
  /** Keeps a request that was answered; it is sent with others. */
  add(request: TracedRequest): void
  /** Sends what is left. */
  close(): Promise<void>
}

export async function openTraces(options: TraceOptions): Promise<Traces> {
  const { startTraces } = await import('./sdk.ts')
  return startTraces(options)
}
