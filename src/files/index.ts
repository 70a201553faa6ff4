export { writeAtomically } from './atomic.ts'
export { inside, isPlainName } from './inside.ts'
export { type Watching, watchFolder } from './watch.ts'
