// What the page and its worker agree on.
import type { Choice } from './choice.ts'

/** Name of the Trusted Types policy that lets the page start its worker, and no other script. */
export const WORKER_POLICY = 'playground-worker'

/** Width and height of the image of a filter choice, in pixels. */
export const THUMBNAIL_SIDE = 96

interface PictureTask {
  /** The answer has the same id. */
  readonly id: number
  /** Identifies the blob, so that the worker decodes it once. */
  readonly key: number
  readonly blob: Blob
}

interface FilterTask extends PictureTask {
  readonly steps: Choice['steps']
  readonly options: Choice['options']
}

/** A task without steps: one thumbnail per filter. */
export type Task = FilterTask | PictureTask

export interface FilteredFile {
  readonly blob: Blob
  readonly width: number
  readonly height: number
}

export interface Thumbnail {
  readonly filter: string
  /** RGBA, `THUMBNAIL_SIDE` pixels per side. */
  readonly pixels: Uint8ClampedArray<ArrayBuffer>
}

/** The same fields as in a reply of the service. */
export interface TaskFailure {
  readonly code?: string
  readonly message: string
  readonly parameter?: string
}

export type Answer = { readonly id: number } & (
  | { readonly file: FilteredFile }
  | { readonly thumbnails: readonly Thumbnail[] }
  | { readonly failure: TaskFailure }
)
