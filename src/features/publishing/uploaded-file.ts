import { assertInput } from '../releases/index.ts'
import type { ChangeContext } from './change.ts'

interface UploadedFile {
  readonly upload?: string | undefined
  readonly name?: string | undefined
}

/** An upload becomes the path of its file. Commands have a path already. */
export function toSource<Source extends object>(source: Source, uploads: ChangeContext['uploads']) {
  const { upload, ...rest } = source as Source & UploadedFile
  if (upload === undefined) return rest as Omit<Source, 'upload'> & { readonly file: string }
  assertInput(/^[0-9a-f]{64}$/i.test(upload), 'The upload', 'must be a SHA-256 of 64 hexadecimal digits')
  assertInput(rest.name !== undefined, 'An upload', 'must have a name')
  const sha256 = upload.toLowerCase()
  return { ...rest, file: uploads?.pathOf(sha256) ?? '', sha256 }
}

/** After they were published. */
export async function removeUploads(sources: readonly object[], { uploads, dryRun }: ChangeContext): Promise<void> {
  if (dryRun) return
  for (const { upload } of sources as readonly UploadedFile[]) if (upload) await uploads?.remove(upload.toLowerCase())
}

/** The SHA-256 of all uploads that the input of a change names. */
export function listUploads(input: object): string[] {
  const { assets = [], pictures = [] } = input as Partial<Record<'assets' | 'pictures', readonly UploadedFile[]>>
  const all = [input as UploadedFile, ...assets, ...pictures]
  return all.flatMap(({ upload }) => (typeof upload === 'string' ? upload.toLowerCase() : []))
}
