import type { Log } from '../../platform/logging/index.ts'
import type { Fetcher } from '../../platform/net/index.ts'
import type { Engine, Processed } from './engine/index.ts'
import type { createQueue, QueueOptions } from './queue.ts'
import type { Result, ResultOptions, Variant } from './results.ts'
import type { SecondLevel } from './second-level.ts'
import type { SourceOptions } from './sources.ts'

export interface ImagesOptions {
  fetcher: Fetcher
  engine: Engine
  /** Changes whenever the same source and filter may give other bytes; part of every ETag. */
  version: string
  queue?: Partial<QueueOptions>
  sources?: Partial<SourceOptions>
  results?: Partial<ResultOptions>
  /** After so long, whatever it waits for, a request is answered with Busy: a connection that is silent longer is cut. */
  replyMs?: number
  secondLevel?: SecondLevel | undefined
  log?: Log | undefined
  onStage?: OnStage | undefined
  /** Told of each picture that was not given, by error code; CANCELLED where the caller hung up, FAILED for a bug. */
  onRefused?: ((code: string) => void) | undefined
}

/** Told of each stage of the work on a picture; `startedAt` is on the clock of `performance.now`. */
export type OnStage = (stage: Stage, startedAt: number, ms: number) => void
export type Stage = 'wait' | 'fetch' | 'decode' | 'filter' | 'encode'

/** A picture that is asked for, by whomever. */
export interface Wish extends Variant {
  imageUrl: string
}

/** Who asks, and what is of this very request. */
export interface Asking {
  /** Whose turn it is: the address of the client. */
  caller: string
  ifNoneMatch?: string | undefined
  signal: AbortSignal
  /** Told of the stages that are worked through for this very request. */
  onStage?: OnStage | undefined
}

interface Facts {
  etag: string
  /** Seconds for which the source is fresh. */
  maxAge: number
  /** Nothing was computed; this request did the work; another one did. */
  cache: 'hit' | 'miss' | 'shared'
}

export type Filtered = Facts & ({ notModified: true } | ({ notModified: false; timings: Timings } & Result))

/** Milliseconds by stage; `shared` where the result came from the second level. */
export type Timings = Processed['timings'] & { fetch: number; shared?: number }

/** What a wish means here, to be kept where the same is wished for again. */
export interface Picture {
  /** At once, where there is nothing to do for it; undefined otherwise. Throws what refuses it now. */
  ready(ifNoneMatch: string | undefined): Filtered | undefined
  filtered(asking: Asking): Promise<Filtered>
}

export interface Images {
  /** Throws where the URL is none that we go to. */
  picture(wish: Wish): Picture
  status(): ReturnType<ReturnType<typeof createQueue>['status']> & {
    caches: Record<'sources' | 'records' | 'results', { entries: number; bytes: number }>
    /** Replies so far. */
    replies: Record<Facts['cache'], number>
    /** How sources were come by so far: kept and fresh, asked for, or asked whether they are the same. */
    sourceReads: Record<'hit' | 'miss' | 'revalidated', number>
  }
  /** Breaks off what is under way; fetcher and engine are closed by whoever made them. */
  close(): void
}
