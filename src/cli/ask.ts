import { createInterface } from 'node:readline/promises'

/** Asks the person at the terminal; an empty answer is undefined. */
export type Ask = (question: string) => Promise<string | undefined>

type Terminal<Stream> = Stream & { readonly isTTY?: boolean }

/** Undefined where nobody is there to answer: then a command must do with what it was given. */
export function askerOn(
  input: Terminal<NodeJS.ReadableStream>,
  output: Terminal<NodeJS.WritableStream>,
): Ask | undefined {
  if (!input.isTTY || !output.isTTY) return undefined
  return async (question) => {
    using lines = createInterface({ input, output })
    return (await lines.question(question)).trim() || undefined
  }
}
