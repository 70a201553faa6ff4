export { judgeAddress } from './judge.ts'
export { parseSourceUrl } from './source-url.ts'
