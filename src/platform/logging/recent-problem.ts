const REPORTED_MS = 3_600_000

/** A fault that was repaired stays a problem for an hour, so that an operator learns of it. */
export function createRecentProblem() {
  let latest: { readonly message: string; readonly at: number } | undefined
  return {
    report(message: string): void {
      latest = { message, at: performance.now() }
    },
    message: () => (latest && performance.now() - latest.at < REPORTED_MS ? latest.message : undefined),
  }
}
