// Every error that a client can see, once. A code is public API: add one, never rename or reuse one.
// docs/errors.md, /openapi.json and generated/errors.json are made from this list.
export * from './errors/access.ts'
export * from './errors/application.ts'
export * from './errors/content.ts'
export { ApiError, type ErrorClass, type Facts } from './errors/define.ts'
export * from './errors/developer.ts'
export * from './errors/images.ts'
export * from './errors/request.ts'
