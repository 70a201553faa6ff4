import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { typeOfName } from '../picture-types.ts'
import { MAX_FILE_BYTES } from '../validate-picture.ts'

export type Fetch = (url: string) => Promise<{ bytes: Buffer }>

/** One picture to be added; `read` fails with a reason for people. */
export interface Source {
  source: string
  name: string
  read(): Promise<Buffer>
}

const isUrl = (text: string) => /^https?:\/\//i.test(text)

/** Finds the pictures that files, folders, URLs and lists of URLs (a `.txt` file, a line a URL) stand for. */
export async function findSources(sources: readonly string[], fetch: Fetch | undefined): Promise<Source[]> {
  const found: Source[] = []
  for (const source of sources) {
    if (isUrl(source)) found.push(ofUrl(source, fetch))
    else if (source.endsWith('.txt')) {
      const lines = (await readFile(source, 'utf8')).split('\n').map((line) => line.trim())
      found.push(...lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => ofUrl(line, fetch)))
    } else if (await isFolder(source)) found.push(...(await ofFolder(source)))
    else found.push(ofFile(source))
  }
  return found
}

const isFolder = async (path: string) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false

async function ofFolder(folder: string): Promise<Source[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile() && typeOfName(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map(ofFile)
}

const ofFile = (path: string): Source => ({
  source: path,
  name: basename(path),
  async read() {
    const stats = await stat(path).catch(() => undefined)
    if (!stats?.isFile()) throw new Error('there is no such file')
    if (stats.size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES / 2 ** 20} MiB`)
    return readFile(path)
  },
})

const ofUrl = (url: string, fetch: Fetch | undefined): Source => ({
  source: url,
  name: nameInUrl(url),
  async read() {
    if (!isUrl(url) || !URL.canParse(url)) throw new Error('this is no http or https URL')
    if (!fetch) throw new Error('URLs cannot be fetched here')
    return (await fetch(url)).bytes
  },
})

function nameInUrl(url: string): string {
  const path = URL.parse(url)?.pathname ?? ''
  return basename(path) || 'picture'
}
