export { filter } from './filter.ts'
export { random } from './random.ts'
