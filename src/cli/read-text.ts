import { readFile } from 'node:fs/promises'
import { CommandError } from './command.ts'

/** A file that people are to read; anything else would be published as rubbish. */
export async function readText(file: string): Promise<string> {
  const bytes = await readFile(file)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new CommandError(`${file} is not a text in UTF-8.`)
  }
}
