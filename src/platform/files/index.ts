export { writeAtomically } from './atomic.ts'
export { inside, isPlainName } from './inside.ts'
export { type ByteRange, type Stamp, sameStamp, streamUnchanged } from './unchanged.ts'
export { type Watching, watchFolder } from './watch.ts'
