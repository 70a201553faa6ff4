const MAX_CHARACTERS = 3

/** The word that was probably meant, or undefined where none is near. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const [near] = words
    .map((other) => ({ other, distance: distance(word.toLowerCase(), other.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  // Of a short word a few letters are most of it: everything would be near.
  return near && near.distance <= Math.min(MAX_CHARACTERS, word.length / 2) ? near.other : undefined
}

/** Completes a sentence about a word that does not exist. */
export function didYouMean(word: string, words: readonly string[]): string {
  const near = nearest(word, words)
  return near ? `; did you mean ${near}?` : '.'
}

/** How many letters must be added, dropped, changed or swapped with their neighbour. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)]
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : changed
      rows[i]![j] = Math.min(changed, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1)
    }
  }
  return at(a.length, b.length)
}
