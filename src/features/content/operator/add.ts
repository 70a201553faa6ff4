import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Compile } from 'typebox/compile'
import { writeAtomically } from '../../../platform/files/index.ts'
import { Credit } from '../credits.ts'
import { namesIn, stampsOf } from '../folder-files.ts'
import { isKindName } from '../kinds.ts'
import { splitName } from '../picture-types.ts'
import { roleOf } from '../read-entry.ts'
import type { Progress } from '../types.ts'
import { digestOf } from '../validate-picture.ts'
import { AddMisused } from './add-refused.ts'
import { cleanPicture } from './clean.ts'
import { addCredits } from './credits-file.ts'
import { type Fetch, findSources, type Source } from './sources.ts'

export interface AddOptions {
  /** CONTENT_DIR. */
  dir: string
  kind: string
  /** Files, folders, URLs, and `.txt` files with a URL a line. */
  sources: readonly string[]
  credits?: Credit
  fetch?: Fetch
  onProgress?: (progress: Progress) => void
}

export type Added =
  | { source: string; outcome: 'added'; file: string }
  | { source: string; outcome: 'skipped' | 'refused'; reason: string }

const creditSchema = Compile(Credit)

/** Adds pictures to a kind, which comes to be with its first one. */
export async function addPictures(options: AddOptions): Promise<Added[]> {
  const { dir, kind, sources, credits = {}, fetch, onProgress } = options
  if (!isKindName(kind)) throw new AddMisused(`"${kind}" cannot be the name of a kind: use a-z, 0-9 and -.`)
  if (!creditSchema.Check(credits)) {
    const [{ instancePath, message } = { instancePath: '', message: 'is wrong' }] = creditSchema.Errors(credits)
    const rule = instancePath === '/source' ? 'must be an http or https URL' : message
    throw new AddMisused(`The credits cannot be used: ${instancePath.slice(1)} ${rule}.`)
  }
  const folder = join(dir, 'animals', kind)
  const present = await presentPictures(folder)
  const found = await findSources(sources, fetch)
  const results: Added[] = []
  try {
    for (const source of found) {
      results.push(await addOne(folder, source, present))
      onProgress?.({ done: results.length, total: found.length })
    }
  } finally {
    const files = results.flatMap((result) => (result.outcome === 'added' ? [result.file] : []))
    await addCredits(folder, files, credits)
  }
  return results
}

async function addOne(folder: string, { source, name, read }: Source, present: Present): Promise<Added> {
  try {
    const { bytes, facts, extension } = await cleanPicture(await read())
    const twin = await present.twinOf(bytes, facts.id)
    if (twin) return { source, outcome: 'skipped', reason: `it is here already, as ${twin}` }
    const file = `${plainStem(name)}-${facts.id}.${extension}`
    await writeAtomically(join(folder, file), bytes)
    present.add(file, bytes.length, facts.id)
    return { source, outcome: 'added', file }
  } catch (error) {
    return { source, outcome: 'refused', reason: error instanceof Error ? error.message : String(error) }
  }
}

/** A name that needs no escaping anywhere. */
function plainStem(name: string): string {
  const plain = splitName(name)
    .stem.normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  return plain.replace(/^-+|-+$/g, '').slice(0, 60) || 'picture'
}

interface Present {
  twinOf(bytes: Buffer, id: string): Promise<string | undefined>
  add(file: string, size: number, id: string): void
}

/** Only files of the same length can be twins; so of a large collection hardly any is read. */
async function presentPictures(folder: string): Promise<Present> {
  const bySize = new Map<number, Map<string, string | undefined>>()
  const add = (file: string, size: number, id?: string) => {
    const alike = bySize.get(size) ?? new Map<string, string | undefined>()
    bySize.set(size, alike.set(file, id))
  }
  const names = (await namesIn(folder)).filter((name) => roleOf(name) === 'picture')
  for (const [name, { size }] of await stampsOf(folder, names)) add(name, size)
  return {
    add,
    async twinOf(bytes, id) {
      const alike = bySize.get(bytes.length) ?? []
      for (const [file, known] of alike) {
        const digest = known ?? digestOf(await readFile(join(folder, file)).catch(() => Buffer.alloc(0)))
        add(file, bytes.length, digest)
        if (digest === id) return file
      }
      return undefined
    },
  }
}
