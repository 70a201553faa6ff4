/** Longer than the path of any page, with typing errors. */
const MAX_LENGTH = 40
/** One wrong letter in three. */
const MAX_DISTANCE_RATIO = 1 / 3

/** The candidate that a path with typing errors most likely means. */
export function findNearest(path: string, candidates: readonly string[]): string | undefined {
  if (path.length > MAX_LENGTH) return undefined
  const written = path.toLowerCase()
  const [nearest] = candidates
    .map((candidate) => ({ candidate, distance: computeDistance(written, candidate) }))
    .filter(({ candidate, distance }) => distance <= (candidate.length - 1) * MAX_DISTANCE_RATIO)
    .sort((a, b) => a.distance - b.distance)
  return nearest?.candidate
}

/** Levenshtein distance: how many letters must be inserted, removed or replaced. */
function computeDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, j) => j)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = previous[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, previous[j]! + 1, row[j - 1]! + 1))
    }
    previous = row
  }
  return previous[to.length]!
}
