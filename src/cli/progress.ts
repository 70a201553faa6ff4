/** Ends with its block (`using`): the bar is wiped away. */
export interface Progress extends Disposable {
  show(done: number, total?: number): void
}

export interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Twelve times a second looks smooth; a file that catches the output needs no more than a line a second. */
const REDRAW_MS = 80
const LINE_MS = 1000
const BAR_LETTERS = 24
const WIPE = '\r\x1b[K'

/** A bar on a terminal, plain lines elsewhere; work that is over at once says nothing there. */
export function startProgress(
  screen: Screen,
  label: string,
  inWords: (amount: number) => string = String,
  now: () => number = () => performance.now(),
): Progress {
  const isTerminal = screen.isTTY === true
  let shownAt = isTerminal ? Number.NEGATIVE_INFINITY : now()
  let drawn = false

  return {
    show(done, total) {
      if (now() - shownAt < (isTerminal ? REDRAW_MS : LINE_MS)) return
      shownAt = now()
      const amount = total ? `${inWords(done)} of ${inWords(total)}` : inWords(done)
      if (!isTerminal) {
        screen.write(`${label}: ${amount}\n`)
        return
      }
      const line = total ? `${label} ${barOf(done / total)} ${amount}` : `${label} ${amount}`
      // A line that wraps could not be wiped again.
      screen.write(WIPE + line.slice(0, (screen.columns ?? 80) - 1))
      drawn = true
    },
    [Symbol.dispose]() {
      if (drawn) screen.write(WIPE)
    },
  }
}

function barOf(share: number): string {
  const full = Math.round(Math.min(1, share) * BAR_LETTERS)
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_LETTERS - full)}] ${Math.floor(Math.min(1, share) * 100)} %`
}
