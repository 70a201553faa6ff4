import { cache, success } from '../../kernel/replies.ts'

const tag = 'Operator, v5'

/** Common parts of the operator's endpoints. */
const common = { tag, hasEtag: false } as const
export const readScope = { ...common, operatorScope: 'read' } as const
export const writeScope = { ...common, operatorScope: 'write' } as const
export const publishScope = { ...common, operatorScope: 'publish' } as const

/** No cache may store what an operator sees. */
export const uncachedReply = (fields: Record<string, unknown>) => success(fields, { cache: cache.none })
