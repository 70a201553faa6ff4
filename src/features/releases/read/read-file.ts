import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { type DataFile, dataFiles, isDataFile } from './data-files.ts'
import { type NewsItem, readNews } from './news.ts'
import { type Read, refused } from './problem.ts'

// 4 MiB hold about 15,000 releases; a megabyte of YAML takes most of a second to parse.
export const LARGEST_DATA = 4 * 1024 * 1024
const LARGEST_NEWS = 256 * 1024

export type FileValue = NonNullable<ReturnType<(typeof dataFiles)[DataFile]>['value']> | NewsItem

/** Reads one file of the folder by its relative name and checks all that can be checked by itself. Never throws. */
export async function readFileOf(dir: string, name: string): Promise<Read<FileValue>> {
  const largest = isDataFile(name) ? LARGEST_DATA : LARGEST_NEWS
  try {
    const bytes = await readUpTo(join(dir, name), largest)
    if (!bytes) return refused(name, 1, 'size', `The file must not be larger than ${largest} bytes`)
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return isDataFile(name) ? dataFiles[name](text) : readNews(name, text)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return refused(name, 1, 'utf-8', 'The file must be UTF-8 text')
    return refused(name, 1, 'readable', `The file cannot be read (${code ?? message})`)
  }
}

async function readUpTo(path: string, largest: number): Promise<Buffer | undefined> {
  await using handle = await open(path)
  const { size } = await handle.stat()
  return size > largest ? undefined : handle.readFile()
}
