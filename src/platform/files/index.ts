export { isPlainName, readUpTo, resolveInside, writeAtomically } from './safe-files.ts'
export {
  type ByteRange,
  isFolder,
  isSameStamp,
  SETTLE_MS,
  type Stamp,
  type StatResult,
  statFile,
  statFileSync,
  statFiles,
  streamUnchanged,
} from './stamps.ts'
export { type FolderWatcher, watchFolder } from './watch-folder.ts'
export { type FileReading, type FileState, WatchedFiles, type WatchedFilesOptions } from './watched-files.ts'
