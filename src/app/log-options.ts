import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { ROOT } from '../config/root.ts'

export const logDirOf = (config: Config) => join(config.DATA_DIR, 'logs')

/** How the service logs, in whichever of its processes. */
export const logOptionsOf = (config: Config) => ({
  dir: logDirOf(config),
  level: config.LOG_LEVEL,
  fileBytes: config.LOG_FILE_BYTES,
  files: config.LOG_FILES,
  hiddenFolders: [config.DATA_DIR, config.CONTENT_DIR, ROOT, process.cwd(), homedir()],
})
