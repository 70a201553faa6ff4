export type OutputFormat = 'jpeg' | 'png' | 'webp' | 'avif' | 'gif'

export interface Job {
  /** Kept in a cache as well: to be copied, never changed or transferred to another thread. */
  bytes: Uint8Array
  filter: string
  strength: number | undefined
  output: OutputFormat | undefined
}

export interface Processed {
  bytes: Buffer
  type: string
  width: number
  height: number
  pages: number
  timings: { decode: number; filter: number; encode: number }
}

/** Turns the bytes of one picture into those of another. */
export interface Engine {
  /** Pictures take turns by caller; one that waits too long is refused with Busy. */
  process(job: Job, signal?: AbortSignal, caller?: string): Promise<Processed>
  status(): { running: number; queued: number; threads: number }
  close(): Promise<void>
}
