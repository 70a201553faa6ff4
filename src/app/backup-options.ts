// What a backup consists of, for the schedule and for the commands.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Log } from '../platform/logging/index.ts'
import { checkIntegrity, type Store, sqliteFile, writeStoreCopy } from '../platform/store/index.ts'

type BackupConfig = Pick<Config, 'DATA_DIR' | 'CONTENT_DIR' | 'BACKUP_DIR' | 'BACKUP_KEEP' | 'STORE_URL'>

export const readBackupDir = ({ BACKUP_DIR, DATA_DIR }: Pick<Config, 'BACKUP_DIR' | 'DATA_DIR'>) =>
  BACKUP_DIR || join(DATA_DIR, 'backups')

export function readBackupOptions(config: BackupConfig, store: Store, log: Log) {
  const { STORE_URL, DATA_DIR: dataDir } = config
  const file = sqliteFile(STORE_URL, dataDir)
  return {
    dir: readBackupDir(config),
    contentDir: config.CONTENT_DIR,
    keep: config.BACKUP_KEEP,
    readStoreBytes: async () => (file === undefined ? 0 : ((await stat(file).catch(() => undefined))?.size ?? 0)),
    writeStore: (target: string) => writeStoreCopy(STORE_URL, { dataDir, log }, store, target),
    checkStore: file === undefined ? undefined : () => checkIntegrity(file),
  }
}
