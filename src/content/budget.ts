/** Grants so many calls in every stretch of time. */
export class Budget {
  readonly #calls: number
  readonly #stretchMs: number
  #since = 0
  #granted = 0

  constructor(calls: number, stretchMs: number) {
    this.#calls = calls
    this.#stretchMs = stretchMs
  }

  isGranted(): boolean {
    const now = Date.now()
    if (now - this.#since >= this.#stretchMs) {
      this.#since = now
      this.#granted = 0
    }
    return this.#granted++ < this.#calls
  }
}
