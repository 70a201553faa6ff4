import type { DrawnType } from './drawings.ts'
import { type Draw, shortSeed } from './random.ts'

/** A drawing takes some 50 ms of a core: however many ask, no more than a tenth of one goes into drawing ahead. */
const PAUSE_MS = 500
/** In a rush hardly anybody gets one, and the core is needed for the answers. */
const PAUSE_IN_A_RUSH_MS = 10_000
const RUSH = 100
export const AHEAD_TYPE: DrawnType = 'webp'

export interface Ready {
  seed: string
  size: number
}

interface Options {
  /** How many a kind; 0 draws none ahead. */
  perKind: number
  /** The kinds that are drawn at the moment. */
  kinds(): string[]
  /** Draws a picture, keeps it, and tells its size in bytes. */
  drawn(kind: string, file: string): Promise<number>
  draw: Draw
}

/**
 * A few drawings of each kind that nobody has seen yet: their size in bytes can be told, and who follows the link need
 * not wait. Each is given out once; who asks when none is left gets a drawing that is made when it is looked at.
 */
export class DrawnAhead {
  readonly #options: Options
  readonly #ready = new Map<string, Ready[]>()
  #timer: NodeJS.Timeout | undefined
  #isDrawing = false
  /** How many came since the last drawing and found none. */
  #missed = 0
  #closed = false

  constructor(options: Options) {
    this.#options = options
  }

  take(kind: string): Ready | undefined {
    const ready = this.#ready.get(kind)?.pop()
    if (!ready) this.#missed++
    this.#drawSoon()
    return ready
  }

  /** Draws one of each kind, and goes on until every kind has its number. */
  async start(): Promise<void> {
    for (const _ of this.#options.kinds()) await this.#drawOne()
    void this.#drawAll()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  async #drawAll(): Promise<void> {
    while (await this.#drawOne());
  }

  #drawSoon(): void {
    if (this.#closed || this.#timer || this.#isDrawing || this.#options.perKind === 0) return
    const pause = this.#missed > RUSH ? PAUSE_IN_A_RUSH_MS : PAUSE_MS
    this.#missed = 0
    this.#timer = setTimeout(async () => {
      this.#timer = undefined
      if (await this.#drawOne()) this.#drawSoon()
    }, pause)
    this.#timer.unref()
  }

  /** Draws for the kind that has fewest; false when there is nothing to draw. */
  async #drawOne(): Promise<boolean> {
    const { kinds, perKind, drawn, draw } = this.#options
    const count = (kind: string) => this.#ready.get(kind)?.length ?? 0
    const kind = kinds().toSorted((a, b) => count(a) - count(b))[0]
    if (this.#closed || this.#isDrawing || kind === undefined || count(kind) >= perKind) return false
    this.#isDrawing = true
    try {
      const seed = shortSeed(draw)
      const size = await drawn(kind, `~${seed}.${AHEAD_TYPE}`)
      this.#ready.set(kind, [...(this.#ready.get(kind) ?? []), { seed, size }])
      return true
    } catch {
      // Whoever asks for a drawing hears why none can be made; here there is nobody to tell.
      return false
    } finally {
      this.#isDrawing = false
    }
  }
}
