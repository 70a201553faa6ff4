/** Grants so many calls in every stretch of time. */
export class Budget {
  readonly #calls: number
  readonly #stretchMs: number
  #since = Number.NEGATIVE_INFINITY
  #granted = 0

  constructor(calls: number, stretchMs: number) {
    this.#calls = calls
    this.#stretchMs = stretchMs
  }

  isGranted(): boolean {
    // Not the clock on the wall: set back, it would grant nothing for as long.
    const now = performance.now()
    if (now - this.#since >= this.#stretchMs) {
      this.#since = now
      this.#granted = 0
    }
    return this.#granted++ < this.#calls
  }
}
