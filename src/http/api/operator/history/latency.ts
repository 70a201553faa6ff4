// Durations by bucket, four a doubling from 50 µs up to 100 s: a percentile is off by less than a tenth.
const FIRST_MS = 0.05
const A_DOUBLING = 4
export const BUCKETS = 85

export const bucketOf = (ms: number): number =>
  ms <= FIRST_MS ? 0 : Math.min(BUCKETS - 1, Math.ceil(Math.log2(ms / FIRST_MS) * A_DOUBLING))

const middleOf = (bucket: number) => FIRST_MS * 2 ** ((bucket - 0.5) / A_DOUBLING)

/** How long the quicker ones of this share took, in ms; null where nothing was counted. */
export function percentile(buckets: Uint32Array, share: number): number | null {
  const rank = Math.ceil(buckets.reduce((sum, count) => sum + count, 0) * share)
  if (rank === 0) return null
  let seen = 0
  const bucket = buckets.findIndex((count) => {
    seen += count
    return seen >= rank
  })
  return Number(middleOf(bucket).toPrecision(3))
}
