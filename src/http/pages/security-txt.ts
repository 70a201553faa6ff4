// /.well-known/security.txt (RFC 9116): where to report a vulnerability of this service.
import { cache, text } from '../kernel/replies.ts'
import { get, type Route } from '../kernel/route.ts'

export interface SecurityContact {
  /** URIs, the preferred one first. */
  readonly contacts: readonly string[]
  readonly languages: readonly string[]
  readonly publicUrl: string
}

const PATH = '/.well-known/security.txt'
const DAY_MS = 86_400_000
/** RFC 9116 recommends less than a year. A service that still runs still has this contact. */
const VALID_DAYS = 180

export function securityRoute(contact: SecurityContact): Route {
  return get(PATH, {
    tag: 'Pages',
    summary: 'Where to report vulnerabilities',
    description: 'As RFC 9116 defines it. It exists only if the operator names a contact.',
    otherTypes: ['text/plain'],
    textExamples: { 'text/plain': formatSecurityText(contact, new Date('2026-01-01')) },
    handle: () => text(formatSecurityText(contact, new Date()), 'text/plain; charset=utf-8', { cache: cache.short }),
  })
}

/** The text changes once a day, so that caches can revalidate it. */
function formatSecurityText({ contacts, languages, publicUrl }: SecurityContact, now: Date): string {
  const today = Math.floor(now.getTime() / DAY_MS)
  const lines = [
    ...contacts.map((uri) => `Contact: ${uri}`),
    `Expires: ${new Date((today + VALID_DAYS) * DAY_MS).toISOString()}`,
    `Preferred-Languages: ${languages.join(', ')}`,
    // The RFC allows only https here.
    ...(publicUrl.startsWith('https://') ? [`Canonical: ${publicUrl}${PATH}`] : []),
  ]
  return `${lines.join('\n')}\n`
}
