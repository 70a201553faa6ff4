export {
  type Change,
  compareLines,
  type EditedFiles,
  type EditOptions,
  editFolder,
  type FileContent,
  type FileEdit,
  lockFile,
  type MovedFile,
  readOptionalFile,
  withLock,
} from './edit-files.ts'
export {
  hasLastGoodState,
  type LastGoodFolder,
  lastGoodFoldersIn,
  readLastGoodState,
  writeLastGoodState,
} from './last-good.ts'
export { hasSpace, isPlainName, readUpTo, resolveInside, writeAtomically } from './safe-files.ts'
export { acceptEntries, describeShrink, type EntryCounts, isLoss, ShrinkGuard } from './shrink-guard.ts'
export * from './stamps.ts'
export { type ByteRange, countBytes, joinPieces, type Piece, streamUnchanged } from './stream-file.ts'
export { type FolderWatcher, watchFolder } from './watch-folder.ts'
export { type FileReading, type ReadSource, WatchedFiles } from './watched-files.ts'
