import { all, one } from '../../shared/client/dom.ts'
import { THUMBNAIL_SIDE } from '../worker-tasks.ts'
import type { WorkerClient } from './worker-client.ts'

/** Draws the chosen image into each filter choice, as the filter would change it. */
export function createThumbnails(worker: WorkerClient) {
  let drawn: Blob | undefined
  return async (blob: Blob | undefined): Promise<void> => {
    if (blob === drawn) return
    drawn = blob
    const thumbnails = blob ? await worker.drawThumbnails(blob).catch(() => []) : []
    if (blob !== drawn) return
    for (const choice of all<HTMLInputElement>('[data-choices] input')) {
      const context = one<HTMLCanvasElement>('canvas', choice.parentElement!).getContext('2d')
      const pixels = thumbnails.find(({ filter }) => filter === choice.value)?.pixels
      context?.clearRect(0, 0, THUMBNAIL_SIDE, THUMBNAIL_SIDE)
      if (pixels) context?.putImageData(new ImageData(pixels, THUMBNAIL_SIDE), 0, 0)
    }
  }
}
