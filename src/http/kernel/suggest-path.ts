// What was probably meant by a path that does not exist. Strangers ask for many such: a few looks at the router, no more.
import type { Route } from './route.ts'

/** Longer and deeper than any path of ours with a slip in it. */
const LONGEST = 200
const DEEPEST = 8

type Look = (path: string) => Pick<Route, 'params'> | undefined

export interface Meant {
  readonly suggestion?: string | undefined
  /** What the last part of the path may be, where it was left out. */
  readonly allowed?: readonly string[] | undefined
}

export function suggestPath(path: string, look: Look): Meant {
  const tidy = path.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1')
  const near = [tidy, tidy.toLowerCase()].find((other) => other !== path && look(other))
  if (near !== undefined || path.length > LONGEST) return { suggestion: near }
  const parts = tidy.split('/')
  if (parts.length > DEEPEST) return {}
  return withoutLast(tidy, look) ?? { suggestion: otherNumber(parts, look) }
}

/** /api/v1/animals: which of them? */
function withoutLast(path: string, look: Look): Meant | undefined {
  // No route has such a part of its own: only one that takes any is found.
  const params = look(`${path}/-`)?.params ?? {}
  const { enum: allowed } = (Object.values(params).at(-1) ?? {}) as { enum?: readonly string[] }
  return allowed?.[0] === undefined ? undefined : { suggestion: `${path}/${allowed[0]}`, allowed }
}

/** /api/v2/random/animals/cat: v1 has animals, v2 has animal. */
const otherNumber = (parts: readonly string[], look: Look): string | undefined =>
  parts
    .map((part, at) => parts.with(at, part.endsWith('s') ? part.slice(0, -1) : `${part}s`).join('/'))
    .find((other) => look(other))
