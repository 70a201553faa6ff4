/** Says whether a part cannot save its last good state. */
export function createSaveProblem() {
  const reasons = new Map<string, string>()
  return {
    onSave: (dir: string, error?: NodeJS.ErrnoException) => {
      if (error) reasons.set(dir, error.code ?? error.message)
      else reasons.delete(dir)
    },
    message: (): string | undefined => {
      const [reason] = reasons.values()
      return (
        reason &&
        `the last good state of the content cannot be saved in DATA_DIR/last-good (${reason}): after a restart, an older one is used`
      )
    },
  }
}
