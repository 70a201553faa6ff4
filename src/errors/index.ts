// Every error that a client can see, once. A code is public API: add codes, never rename or reuse one. docs/errors.md,
// /openapi.json and generated/errors.json are built from this list.
export * from './access.ts'
export * from './content.ts'
export type { ErrorClass, ErrorDetails } from './define.ts'
export { ApiError, OperatorError, PublishError, UnknownEntryError, UsageError } from './define.ts'
export * from './images.ts'
export * from './request.ts'
