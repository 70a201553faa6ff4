export type { ChangeDefinition } from './change.ts'
export type { FilePatch, HistoryEntry } from './history.ts'
export * from './publisher.ts'
export { createUploads, type UploadPart, type Uploads } from './uploads.ts'
