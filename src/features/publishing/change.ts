import Type, { type Static, type TObject, type TProperties } from 'typebox'
import type { Change, EditOptions } from '../../platform/files/index.ts'
import { assertInput } from '../releases/index.ts'
import type { Uploads } from './uploads.ts'

/** What a change gets besides its input. */
export interface ChangeContext extends EditOptions {
  /** The folder that it edits. */
  readonly dir: string
  /** Undefined where files are read from their paths. */
  readonly uploads?: Uploads | undefined
}

/** One kind of change. Commands, endpoints and the dashboard make it with the same rules. */
export interface ChangeDefinition<Input extends object = object, Result extends object = object> {
  readonly summary: string
  readonly description?: string
  /** What a client sends. Commands may add what only they have, such as the path of a file. */
  readonly input: TObject
  /** Names the changed entry in the history. */
  subject(input: Input): string
  run(input: Input, context: ChangeContext): Promise<Change & Result>
}

/** Optional fields may also be undefined, and lists are read only. */
type Loose<T> = T extends readonly (infer Item)[]
  ? readonly Loose<Item>[]
  : T extends object
    ? string extends keyof T
      ? Readonly<T>
      : { [Name in keyof T]: Loose<T[Name]> | (Record<never, never> extends Pick<T, Name> ? undefined : never) }
    : T

/** `Extra`: what only commands can give. */
type InputOf<Fields extends TProperties, Extra> = Omit<Loose<Static<TObject<Fields>>>, keyof Extra> & Extra

// Schemas of fields that many changes have.
export const Text = (description: string) => Type.String({ description })
export const OptionalText = (description: string) => Type.Optional(Text(description))
export const Switch = (description: string) => Type.Optional(Type.Boolean({ description }))

export const defineChange =
  <Extra extends object = Record<never, never>>() =>
  <Fields extends TProperties, Result extends object>(
    change: Omit<ChangeDefinition<InputOf<Fields, Extra>, Result>, 'input'> & { readonly input: TObject<Fields> },
  ) =>
    change

// Files that a change uses: uploads, or paths.
const SHA256 = /^[0-9a-f]{64}$/i
type UploadedFile = { readonly upload?: string | undefined; readonly name?: string | undefined }

/** An upload becomes the path of its file. Commands have a path already. */
export function toSource<Source extends object>(source: Source, uploads: ChangeContext['uploads']) {
  const { upload, ...rest } = source as Source & UploadedFile
  if (upload === undefined) return rest as Omit<Source, 'upload'> & { readonly file: string }
  assertInput(SHA256.test(upload), 'The upload', 'must be a SHA-256 of 64 hexadecimal digits')
  assertInput(rest.name !== undefined, 'An upload', 'must have a name')
  const sha256 = upload.toLowerCase()
  return { ...rest, file: uploads?.pathOf(sha256) ?? '', sha256 }
}

/** Call it after the uploads were published. */
export async function removeUploads(sources: readonly object[], { uploads, dryRun }: ChangeContext): Promise<void> {
  if (dryRun) return
  for (const { upload } of sources as readonly UploadedFile[]) if (upload) await uploads?.remove(upload.toLowerCase())
}

/** The SHA-256 of all uploads that the input of a change names. */
export function listUploads(input: object): string[] {
  const { assets = [], pictures = [] } = input as Partial<Record<'assets' | 'pictures', readonly UploadedFile[]>>
  const all = [input as UploadedFile, ...assets, ...pictures]
  return all.flatMap(({ upload }) => (typeof upload === 'string' && SHA256.test(upload) ? upload.toLowerCase() : []))
}
