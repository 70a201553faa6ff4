// Where a fetched list came from, remembered beside it.
import { readFile } from 'node:fs/promises'
import Type, { type Static } from 'typebox'
import Value from 'typebox/value'
import { writeAtomically } from '../../platform/files/index.ts'

const Origin = Type.Object({
  /** The list that this is about: whoever puts another in its place makes this void. */
  sha256: Type.String(),
  /** Shown to everyone: a host, never a path or a query, which may hold a secret. */
  source: Type.String(),
  /** When the source was last asked, in milliseconds. */
  checkedAt: Type.Number(),
  /** The URL or file as the operator named it, and where the URL led. */
  asked: Type.String(),
  finalUrl: Type.Optional(Type.String()),
  etag: Type.Optional(Type.String()),
  lastModified: Type.Optional(Type.String()),
})
export type Origin = Static<typeof Origin>

const originFileOf = (list: string) => list.replace(/(?:\.txt)?$/, '.source.json')

/** Undefined where nothing is known of this very list. */
export async function readOrigin(list: string, sha256: string | undefined): Promise<Origin | undefined> {
  const origin = await readBeside(list)
  return origin?.sha256 === sha256 ? origin : undefined
}

/** When this source was last asked for the list, in milliseconds. */
export async function lastCheckOf(list: string, source: string): Promise<number | undefined> {
  const origin = await readBeside(list)
  return origin?.asked === source ? origin.checkedAt : undefined
}

async function readBeside(list: string): Promise<Origin | undefined> {
  try {
    const origin: unknown = JSON.parse(await readFile(originFileOf(list), 'utf8'))
    return Value.Check(Origin, origin) ? origin : undefined
  } catch {
    return undefined
  }
}

export const writeOrigin = (list: string, origin: Origin) =>
  writeAtomically(originFileOf(list), `${JSON.stringify(origin, null, 2)}\n`)
