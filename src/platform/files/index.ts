export { isPlainName, readUpTo, resolveInside, writeAtomically } from './safe-files.ts'
export * from './stamps.ts'
export { type FolderWatcher, watchFolder } from './watch-folder.ts'
export { type FileReading, type FileState, WatchedFiles, type WatchedFilesOptions } from './watched-files.ts'
