import { cache, success } from '../../kernel/replies.ts'

const tag = 'Operator, v5'

/** Common parts of the operator's endpoints. */
export const read = { tag, operatorScope: 'read' } as const
export const write = { tag, operatorScope: 'write' } as const

/** No cache may store what an operator sees. */
export const noStore = (fields: Record<string, unknown>) => success(fields, { cache: cache.none })
