/** One record a key, made where there is none. */
export interface Generations<T> {
  /** Makes one, and counts as a sign of life. */
  of(key: string): T
  peek(key: string): T | undefined
}

/**
 * Records in two generations: when the young one is full, the old one is forgotten. Bounds the memory at one look-up a
 * request; who is seen again and again is not forgotten for a flood of others.
 */
export function createGenerations<T>(mostKeys: number, make: (key: string) => T): Generations<T> {
  const youngest = Math.max(1, Math.floor(mostKeys / 2))
  let young = new Map<string, T>()
  let old = new Map<string, T>()

  return {
    of(key) {
      const known = young.get(key)
      if (known !== undefined) return known
      const record = old.get(key) ?? make(key)
      if (young.size >= youngest) {
        old = young
        young = new Map()
      }
      young.set(key, record)
      return record
    },
    peek: (key) => young.get(key) ?? old.get(key),
  }
}
