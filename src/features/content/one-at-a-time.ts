/** Runs `work` never twice at once; calls while it runs are all answered by one more run after it. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const run = (): Promise<void> => {
    if (running) {
      next ??= running.then(() => {
        next = undefined
        return run()
      })
      return next
    }
    running = work().finally(() => {
      running = undefined
    })
    return running
  }
  return run
}
