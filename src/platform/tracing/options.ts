import type { Log } from '../logging/index.ts'

type Rule = 'always_on' | 'always_off' | 'traceidratio'

export interface Sampling {
  /** `parentbased_` follows the caller's own trace where there is one. */
  readonly sampler: Rule | `parentbased_${Rule}`
  /** Of the traces, where the sampler goes by a ratio. */
  readonly ratio: number
}

export interface TraceOptions extends Sampling {
  /** Where a collector takes traces: OTLP over HTTP, as JSON. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly version: string
  /** What else is told of the service. */
  readonly attributes: Readonly<Record<string, string>>
  readonly batch: {
    readonly scheduledDelayMillis: number
    readonly exportTimeoutMillis: number
    readonly maxQueueSize: number
    readonly maxExportBatchSize: number
  }
  readonly log: Log
}
