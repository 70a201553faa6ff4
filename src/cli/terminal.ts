// Questions and progress on the terminal of the user.
import { createInterface, type Interface } from 'node:readline/promises'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Environment } from '../config/config.ts'
import { OperatorError } from '../errors/index.ts'

/** Asks the person at the terminal. An empty answer is undefined. */
export type Ask = (question: string) => Promise<string | undefined>

/** Returns undefined if input or output is not a terminal, so nobody can answer. */
export function createAsk(
  input: NodeJS.ReadableStream & { readonly isTTY?: boolean },
  output: NodeJS.WritableStream & { readonly isTTY?: boolean },
): Ask | undefined {
  if (!input.isTTY || !output.isTTY) return undefined
  return async (question) => {
    using lines = createInterface({ input, output })
    return (await readAnswer(lines, question)) || undefined
  }
}

/** Asks without showing the answer. Without a terminal, it reads standard input. */
export async function readSecret(
  input: NodeJS.ReadableStream & { readonly isTTY?: boolean },
  output: NodeJS.WritableStream & { readonly isTTY?: boolean },
  question: string,
): Promise<string> {
  if (!input.isTTY || !output.isTTY) return (await text(input)).trim()
  // readline shows what is typed on its output.
  using lines = createInterface({ input, output: new PassThrough().resume(), terminal: true })
  output.write(question)
  try {
    return await readAnswer(lines, '')
  } finally {
    output.write('\n')
  }
}

async function readAnswer(lines: Interface, question: string): Promise<string> {
  const answer = await lines.question(question).catch((error) => {
    throw error.name === 'AbortError' ? new OperatorError('Interrupted.') : error
  })
  return answer.trim()
}

/** Disposing it (`using`) removes the bar. */
export interface Progress extends Disposable {
  show(done: number, total?: number): void
}

export interface OutputStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Undefined: not a terminal. A terminal may not know its width, or report 0. */
export const getWidth = ({ isTTY, columns }: OutputStream) => (isTTY ? columns || 80 : undefined)

/** https://no-color.org. FORCE_COLOR overrides it, as in Node itself. */
export function showsColours({ isTTY }: OutputStream, { FORCE_COLOR, NO_COLOR, TERM }: Environment): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0'
  return isTTY === true && !NO_COLOR && TERM !== 'dumb'
}

/** A terminal is redrawn twelve times per second, which looks smooth. A log file gets one line per second. */
const REDRAW_INTERVAL_MS = 80
const LINE_INTERVAL_MS = 1000
const BAR_CHARACTERS = 24
const CLEAR_LINE = '\r\x1b[K'

/** Shows a bar on a terminal, and plain lines elsewhere. Work that takes less than a second prints no line. */
export function startProgress(
  stream: OutputStream,
  label: string,
  formatAmount: (amount: number) => string = String,
  now: () => number = () => performance.now(),
): Progress {
  const isTerminal = stream.isTTY === true
  let shownAt = isTerminal ? Number.NEGATIVE_INFINITY : now()
  let isDrawn = false

  return {
    show(done, total) {
      if (now() - shownAt < (isTerminal ? REDRAW_INTERVAL_MS : LINE_INTERVAL_MS)) return
      shownAt = now()
      const amount = total ? `${formatAmount(done)} of ${formatAmount(total)}` : formatAmount(done)
      if (!isTerminal) {
        stream.write(`${label}: ${amount}\n`)
        return
      }
      const line = total ? `${label} ${formatBar(done / total)} ${amount}` : `${label} ${amount}`
      // A line that wraps cannot be cleared.
      stream.write(CLEAR_LINE + line.slice(0, (getWidth(stream) ?? 80) - 1))
      isDrawn = true
    },
    [Symbol.dispose]() {
      if (isDrawn) stream.write(CLEAR_LINE)
    },
  }
}

function formatBar(share: number): string {
  const full = Math.round(Math.min(1, share) * BAR_CHARACTERS)
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_CHARACTERS - full)}] ${Math.floor(Math.min(1, share) * 100)} %`
}
