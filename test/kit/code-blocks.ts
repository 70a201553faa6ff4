import { readFile } from 'node:fs/promises'

export interface CodeBlock {
  /** The first word after the fence: `js`, `sh` … */
  readonly language: string
  /** The second word after the fence. */
  readonly note: string
  readonly code: string
  readonly line: number
}

/** The fenced code blocks of a Markdown file. */
export async function readCodeBlocks(file: string): Promise<CodeBlock[]> {
  const text = await readFile(file, 'utf8')
  return [...text.matchAll(/^```(\w+)(?: (\w+))?\n([\s\S]*?)^```$/gm)].map(
    ({ index, 1: language = '', 2: note = '', 3: code = '' }) => ({
      language,
      note,
      code,
      line: text.slice(0, index).split('\n').length,
    }),
  )
}

/** The URL of the service in the documents. */
export const DOCUMENTED_URL = 'http://127.0.0.1:4010'
