const MAX_DISTANCE = 3

/** Returns the candidate that was probably meant, or undefined if none is similar. */
export function findSimilar(word: string, candidates: readonly string[]): string | undefined {
  const [nearest] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  // Almost every word is within three edits of a short word.
  return nearest && nearest.distance <= Math.min(MAX_DISTANCE, word.length / 2) ? nearest.candidate : undefined
}

/** Ends a sentence about an unknown word. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const similar = findSimilar(word, candidates)
  return similar ? `. Did you mean ${similar}?` : '.'
}

/** Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)]
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : replaced
      rows[i]![j] = Math.min(replaced, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1)
    }
  }
  return at(a.length, b.length)
}
