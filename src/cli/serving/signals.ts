// The start script and the terminal may both pass one Ctrl-C on.
const SAME_SIGNAL_MS = 1000

/** Stops on one of the signals; on a second one the process ends at once. Resolves when it has stopped. */
export function stopOn(signals: readonly NodeJS.Signals[], say: (text: string) => void, stop: () => Promise<void>) {
  return new Promise<void>((resolve, reject) => {
    let toldAt: number | undefined
    const told = () => {
      if (toldAt !== undefined && Date.now() - toldAt > SAME_SIGNAL_MS) process.exit(1)
      if (toldAt !== undefined) return
      toldAt = Date.now()
      say('Closing: requests under way are answered first.')
      stop().then(resolve, reject)
    }
    for (const signal of signals) process.on(signal, told)
  })
}

/**
 * What SIGHUP asks for. A terminal that is closed sends it, and then nobody is left to stop the service; without one it is
 * a service manager's "reload".
 */
export function onHangUp(reload: () => void): readonly NodeJS.Signals[] {
  if (process.stdin.isTTY || process.stdout.isTTY) return ['SIGHUP']
  process.on('SIGHUP', reload)
  return []
}

export function crashesTo(crash: (error: unknown) => void): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      crash(error)
      process.exit(1)
    })
  }
}
