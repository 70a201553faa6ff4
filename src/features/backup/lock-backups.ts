import { join } from 'node:path'
import { lockFile } from '../../platform/files/index.ts'

const LOCK_FILE = '.lock'

/** A backup removes what an earlier one left unfinished, and old backups, of which one may be restored meanwhile. */
export class OtherBackupRuns extends Error {
  override readonly message = 'another backup or restore is running'
}

export async function lockBackups(dir: string): Promise<DisposableStack> {
  // Some network file systems have no locks, and a backup can be restored from a read-only disk.
  const lock = await lockFile(join(dir, LOCK_FILE)).catch(() => new DisposableStack())
  if (!lock) throw new OtherBackupRuns()
  return lock
}
