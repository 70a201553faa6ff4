import { cache, text } from '../kernel/replies.ts'
import { get, type Route } from '../kernel/route.ts'

// Each playground leads to others with new pictures, and each random reply is new: a crawler would never come to an end.
const RULES = `User-agent: *
Disallow: /api/
Disallow: /playground?
Disallow: /operator
`

export function robots(): Route {
  const reply = text(RULES, 'text/plain; charset=utf-8', { cache: cache.short })
  return get(
    '/robots.txt',
    { tag: 'Pages', summary: 'What crawlers may read', otherTypes: ['text/plain'] },
    () => reply,
  )
}
