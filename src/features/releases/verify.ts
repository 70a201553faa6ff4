import { createReadStream } from 'node:fs'
import { lookForFiles } from './downloads.ts'
import { digestOf } from './publish/digest.ts'
import type { Catalogue } from './published.ts'
import type { Problem } from './read/problem.ts'

interface VerifyOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((doneBytes: number, totalBytes: number) => void) | undefined
}

export interface Verified {
  readonly files: number
  readonly bytes: number
  readonly problems: readonly Problem[]
}

/** Reads every file that is offered, and names those that are missing or are not what was published. */
export async function verifyFiles(dir: string, catalogue: Catalogue, options: VerifyOptions = {}): Promise<Verified> {
  const { present, problems } = await lookForFiles(dir, catalogue)
  const published = [...Object.values(catalogue.releases).flat(), ...catalogue.resources]
  const bytes = published.reduce((sum, { bytes, source }) => sum + (present.has(source.file ?? '') ? bytes : 0), 0)
  let done = 0
  for (const { version, bytes: size, sha256, source } of published) {
    const path = present.get(source.file ?? '')
    if (path === undefined) continue
    const read = createReadStream(path, { signal: options.signal })
    const digest = await digestOf(read, { onProgress: (part) => options.onProgress?.(done + part, bytes) })
    done += size
    if (digest.sha256 === sha256) continue
    const message = `The file of ${version} is not what was published: its SHA-256 is ${digest.sha256}`
    problems.push({ file: `files/${source.file}`, line: 1, rule: 'digest', message })
  }
  return { files: present.size, bytes, problems }
}
