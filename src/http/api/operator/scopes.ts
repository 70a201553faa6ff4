// The scopes of operator endpoints, and what all of these endpoints share.
import type { Tokens } from '../../../features/access/index.ts'
import type { Scope } from '../../../platform/store/index.ts'
import { cache, success } from '../../kernel/replies.ts'
import type { RequestContext } from '../../kernel/request-context.ts'

const tag = 'Operator, v5'

/** Common parts of the operator's endpoints. */
const common = { tag, hasEtag: false } as const
export const readScope = { ...common, operatorScope: 'read' } as const
export const writeScope = { ...common, operatorScope: 'write' } as const
export const publishScope = { ...common, operatorScope: 'publish' } as const

/** No cache may store what an operator sees. */
export const uncachedReply = (fields: Record<string, unknown>) => success(fields, { cache: cache.none })

/** Call it after the body was read: the token may have been revoked while the body arrived slowly. */
export const checkTokenAgain = (tokens: Tokens, scope: Scope, ctx: RequestContext) =>
  tokens.authenticate(ctx.header('authorization'), scope)
