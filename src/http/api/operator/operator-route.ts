import { cache, success } from '../../kernel/replies.ts'

const tag = 'Operator, v5'

/** Common parts of the operator's endpoints. */
export const readScope = { tag, operatorScope: 'read' } as const
export const writeScope = { tag, operatorScope: 'write' } as const
export const publishScope = { tag, operatorScope: 'publish' } as const

/** No cache may store what an operator sees. */
export const uncachedReply = (fields: Record<string, unknown>) => success(fields, { cache: cache.none })
