export {
  type Change,
  compareLines,
  type EditedFiles,
  type EditOptions,
  editFolder,
  type FileContent,
  type FileEdit,
  type MovedFile,
  readOptionalFile,
} from './edit-files.ts'
export * from './file-changes.ts'
export {
  hasLastGoodState,
  type LastGoodFolder,
  lastGoodFoldersIn,
  readLastGoodState,
  writeLastGoodState,
} from './last-good.ts'
export { lockFile, withLock } from './lock-file.ts'
export * from './safe-files.ts'
export * from './shrink-guard.ts'
export { type FileReading, type ReadSource, WatchedFiles } from './watched-files.ts'
