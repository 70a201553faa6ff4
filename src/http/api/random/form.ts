import { pictureTypeNames, pictureTypes } from '../../../features/content/index.ts'
import { negotiate } from '../../kernel/negotiate.ts'
import type { RequestContext } from '../../kernel/request-context.ts'

export type Form = 'json' | 'image' | 'text'

const JSON_TYPE = 'application/json'
const IMAGE_TYPES = pictureTypeNames.map((name) => pictureTypes[name].mime)

/** One URL for programs and for people: JSON, or what an `<img>` or a reader of text prefers. */
export function formOf(ctx: RequestContext<unknown, { format?: string | undefined }>, other: 'image' | 'text'): Form {
  const { format } = ctx.query
  if (format !== undefined) return format as Form
  const accept = ctx.request.headers.accept
  if (accept === undefined || accept === '*/*') return 'json'
  const chosen = negotiate<string>(accept, [JSON_TYPE, ...(other === 'image' ? IMAGE_TYPES : ['text/plain'])])
  return chosen === undefined || chosen === JSON_TYPE ? 'json' : other
}

/** The picture types that `Accept` allows; undefined where it allows all. */
export function acceptableTypes(accept: string | undefined): string[] | undefined {
  const allowed = pictureTypeNames.filter((name) => negotiate(accept, [pictureTypes[name].mime]) !== undefined)
  return allowed.length === pictureTypeNames.length ? undefined : allowed
}
