// Complete uploads, for the node that gets the change that uses them.
import { readFile, stat } from 'node:fs/promises'
import { writeAtomically } from '../../../platform/files/index.ts'
import { versionOf } from '../history.ts'
import type { Uploads } from '../uploads.ts'
import type { SyncContext } from './context.ts'

const toVersion = (sha256: string) => Buffer.from(sha256, 'hex').toString('base64url')

/** Larger files are refused with the change. If Redis is unavailable, the upload stays on this node. */
export async function shareUpload({ node, shared, maxFileBytes }: SyncContext, uploads: Uploads, sha256: string) {
  const path = uploads.pathOf(sha256)
  const { size } = await stat(path)
  if (!node.position() || size > maxFileBytes) return
  await shared.put(toVersion(sha256), await readFile(path)).catch(() => {})
}

export async function fetchUploads({ node, shared }: SyncContext, uploads: Uploads, digests: readonly string[]) {
  for (const sha256 of digests) {
    if (!node.position() || !/^[0-9a-f]{64}$/.test(sha256) || (await uploads.find(sha256))?.complete) continue
    const bytes = await shared.get(toVersion(sha256)).catch(() => undefined)
    if (bytes && versionOf(bytes) === toVersion(sha256)) await writeAtomically(uploads.pathOf(sha256), bytes)
  }
}
